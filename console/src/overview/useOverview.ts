import { useQuery } from '@tanstack/react-query';
import type { Finding } from '../../../src/main/finding.ts';
import { readData, root } from '../data/api.ts';
import type { Activity } from './activity.ts';

export const useActivity = () =>
  useQuery({ queryKey: ['activity'], refetchInterval: 60_000, queryFn: () => readData<Activity>('/v1/activities') });

export interface Diagnosis {
  version: string;
  node: string;
  database: string;
  started_at: string;
  findings: Finding[];
}

export const useDiagnosis = () =>
  useQuery({ queryKey: ['diagnosis'], staleTime: 60_000, queryFn: () => readData<Diagnosis>('/v1/diagnoses') });

/** Requests the health like a load balancer: a 503 response names the failed part. */
export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    refetchInterval: 30_000,
    queryFn: async (): Promise<{ checks: Record<string, string> }> => (await fetch(`${root}/health/ready`)).json(),
  });
