/** Goes on with a value that may be there already: on SQLite it is, and a promise would cost a turn of its own. */
export const thenMaybe = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
