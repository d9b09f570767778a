/** The numbers of PostgreSQL's advisory locks. They are arbitrary but differ, because work with the same number would wait for each other. */
export const advisoryLocks = {
  migration: 7_146_352,
  /** Long work on large tables, such as building an index. */
  longWork: 7_146_353,
  /** All users, clients and sessions. */
  allAccounts: 7_146_354,
  lastAdministrator: 7_146_355,
  /** A move into the database. */
  move: 7_146_356,
} as const;
