import type { Report } from './text-report.ts';
export const charts = (_report: Report): [string, string][] => [];
