/** Returns a view of `target` with some methods replaced; the others work on the target itself. */
export function intercept<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const own: unknown = Reflect.get(replaced, name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
