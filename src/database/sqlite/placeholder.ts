import { SqliteQueryCompiler } from 'kysely';

/**
 * How a bound value stands in the SQL text of SQLite. Where a bare `?` could decide between plans, SQLite plans the
 * statement again each time a value is bound: after `limit` and `like`, and since 3.54 after `=` in every join, `exists`
 * and `order by`. The unary plus changes no value and hides it from the planner (docs/decisions/sqlite-keeps-its-plans.md).
 */
export const placeholder = '+?';

export class KeptPlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return placeholder;
  }
}
