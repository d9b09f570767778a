import { type SelectQueryNode, SqliteQueryCompiler } from 'kysely';

/**
 * The placeholder of a value in SQLite. With a bare `?` SQLite plans many statements again for each value. The unary plus hides the
 * value from the planner (docs/decisions/sqlite-keeps-its-plans.md).
 */
export const placeholder = '+?';

export class StablePlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return placeholder;
  }

  /** Leaves out row locks such as `for update`: SQLite runs one write transaction at a time. */
  protected override visitSelectQuery(node: SelectQueryNode): void {
    super.visitSelectQuery(node.endModifiers ? { ...node, endModifiers: [] } : node);
  }
}
