import { posix } from 'node:path';
import type { ModuleInfo } from '../../../puppet/environment/environment.ts';
import type { Endpoint } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { ServedEnvironment } from '../../files/served-environment.ts';
import { plainEnvironment, plainNotFoundError } from '../../plain-environment.ts';

/** Names a plan cannot have: lib/puppet/module/plan.rb. */
const RESERVED = new Set(
  (
    'and application attr case class consumes default else elsif environment false function if import in inherits node or ' +
    'private produces site true type undef unless any array boolean catalogentry collection callable data enum float hash ' +
    'integer numeric optional pattern resource runtime scalar string struct tuple variant'
  ).split(' '),
);

/** `GET plans?environment=`: all plans. */
export const getPlans: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/plans',
  async handle(context, services) {
    const { files, name } = await plainEnvironment(context, services);
    const environment = [{ name, code_id: files.codeId }];
    const listed = files.environment.listModules().flatMap((module) => {
      return plansOf(files, module).map((plan) => ({ name: fullName(module, plan), environment }));
    });
    return sendJson(context, listed);
  },
};

/** `GET plans/<module>/<plan>?environment=`: a plan's metadata, which is empty in Puppet. */
export const getPlan: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/plans/:module/:plan',
  async handle(context, services) {
    const { files } = await plainEnvironment(context, services);
    const { module: moduleName = '', plan: planName = '' } = context.req.param();
    const module = files.environment.findModule(moduleName);
    if (module === null) throw plainNotFoundError(`Could not find module '${moduleName}'`);
    if (!plansOf(files, module).includes(planName)) throw plainNotFoundError(`Could not find plan '${planName}'`);
    return sendJson(context, { metadata: {}, name: fullName(module, planName) });
  },
};

function plansOf(files: ServedEnvironment, { root }: ModuleInfo): readonly string[] {
  const names = (files.listNames(posix.join(root, 'plans')) ?? [])
    .filter((name) => /\.(pp|yaml)$/.test(name))
    .map((name) => posix.basename(name, posix.extname(name)))
    .filter((name) => /^[a-z][a-z0-9_]*$/.test(name) && !RESERVED.has(name));
  return [...new Set(names)];
}

function fullName({ name }: ModuleInfo, planName: string): string {
  return planName === 'init' ? name : `${name}::${planName}`;
}
