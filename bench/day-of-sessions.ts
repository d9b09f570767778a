import type { Plan } from './compare-operations.ts';
export interface Day {
  readonly hours: readonly {
    hour: number;
    logins: number;
    refreshes: number;
    sessions: number;
    databaseMb: number;
    memoryMb: number;
    p99: number;
  }[];
}
export const dayOfSessions = async (_plan: Plan): Promise<Day> => ({ hours: [] });
