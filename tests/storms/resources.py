def run(*a):
    raise SystemExit
