/** Continues with a value or a promise. SQLite returns values, and a promise would cost a turn of the event loop. */
export const thenMaybe = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
