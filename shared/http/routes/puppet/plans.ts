import { plansOf } from '../../../orchestrator/plans/module-plans.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { plainEnvironment, plainNotFoundError } from '../../plain-environment.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

/** `GET plans?environment=`: all plans. */
export const getPlans = createRoute<AgentServices>('GET', '/puppet/v3/plans', async (context, services) => {
  const { files, name } = await plainEnvironment(context, services);
  const environment = [{ name, code_id: files.codeId }];
  const listed = files.environment.listModules().flatMap((module) => {
    return plansOf(files, module).map((plan) => ({ name: plan.name, environment }));
  });
  return sendJson(context, listed);
});

/** `GET plans/<module>/<plan>?environment=`: a plan's metadata, which is empty in Puppet. */
export const getPlan = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/plans/:module/:plan',
  async (context, services) => {
    const { files } = await plainEnvironment(context, services);
    const { module: moduleName = '', plan: planName = '' } = context.req.param();
    const module = files.environment.findModule(moduleName);
    if (module === null) throw plainNotFoundError(`Could not find module '${moduleName}'`);
    const plan = plansOf(files, module).find(({ shortName }) => shortName === planName);
    if (plan === undefined) throw plainNotFoundError(`Could not find plan '${planName}'`);
    return sendJson(context, { metadata: {}, name: plan.name });
  },
);
