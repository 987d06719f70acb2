int added(int a, int b) {
    int sum;
    __asm__ volatile("addl %2, %0 # x\n\tnop" : "=r"(sum) : "0"(a), "r"(b) : "cc", "memory");
    return sum;
}

__asm__(".globl lonely\nlonely: ret\n");

int jumping(int x) {
    __asm__ goto("jmp %l1" : : "r"(x) : : out);
    return 1;
out:
    return 2;
}
