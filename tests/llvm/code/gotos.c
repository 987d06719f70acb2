int run(const unsigned char *p, int x) {
    static void *labels[] = {&&a, &&b, &&c};
    goto *labels[*p];
a:
    x++;
    goto *labels[*++p];
b:
    x *= 3;
    goto *labels[*++p];
c:
    return x;
}

int around(int n) {
again:
    if (n > 10) {
        n -= 3;
        goto again;
    }
    if (n < 0) goto end;
    for (;;) {
        if (n++ == 7) break;
        if (n == 99) goto end;
    }
end:
    return n;
}
