struct Guard { ~Guard(); int v; };
struct Base { virtual double f(double) = 0; virtual ~Base() {} };
struct Scaled : Base { double k; double f(double x) override { return k * x; } };
int may(int);
int tried(int x) {
    Guard guard;
    try {
        return may(x);
    } catch (const Scaled &e) {
        return -1;
    } catch (int i) {
        return i;
    } catch (...) {
        throw;
    }
}
Base *made() { return new Scaled; }
double applied(Base *b, double x) { return dynamic_cast<Scaled *>(b) ? b->f(x) : 0; }
int shifted(int k) { return [k](int x) { return x + k; }(3); }
