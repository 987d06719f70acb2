int chosen(int x) {
    switch (x) {
    case 1: return 5;
    case 2:
    case 3: x *= 2; break;
    case -7: return chosen(x + 1);
    default: x = x * x;
    }
    return x;
}

const char *name(unsigned number) {
    switch (number) {
    case 0: return "zero";
    case 1: return "one \"quoted\" %two @three, !four";
    case 5: return "five\n";
    }
    return 0;
}
