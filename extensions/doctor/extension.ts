import type { CreateExtension } from '../../src/main/extension.ts';
import { serveDiagnosis } from './diagnosis-routes.ts';

/** The findings of `gatehouse doctor` about the running service. The first request loads the checks. */
export const createExtension: CreateExtension = (context) => ({
  serve: (app, _resources, all) => serveDiagnosis(app, context, all),
});
