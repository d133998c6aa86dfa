import { posix } from 'node:path';
import { plainRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { sendTaggedJson } from '../../exchange/tagged-json.ts';
import type { ServedEnvironment } from '../../files/served-environment.ts';
import { plainEnvironment } from '../../plain-environment.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

/** `GET environment_classes?environment=`: the classes of an environment and their parameters. */
export const getEnvironmentClasses = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/environment_classes/*',
  async (context, services) => {
    const { files, name } = await plainEnvironment(context, services);
    return sendTaggedJson(context, { files: await services.classes.list(files), name });
  },
);

/** `GET environment_modules[?environment=]`: the modules of one environment, or of all. */
export const getEnvironmentModules = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/environment_modules/*',
  async (context, services) => {
    if (context.req.query('environment') !== undefined) {
      const { files, name } = await plainEnvironment(context, services);
      return sendJson(context, { modules: modulesOf(files), name });
    }
    const all: unknown[] = [];
    for (const { name } of await services.environments.list()) {
      const opened = await services.files.open(name);
      if (opened !== null) all.push({ modules: modulesOf(opened.files), name });
    }
    return sendJson(context, all);
  },
);

/** `GET environment_transports?environment=`: the transports that modules define. */
// Differs from Puppet: transport schemas are Ruby code, which no front door runs. An environment
// with such schemas is refused.
export const getEnvironmentTransports = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/environment_transports/*',
  async (context, services) => {
    const { files, name } = await plainEnvironment(context, services);
    for (const { root } of files.environment.listModules()) {
      const [schema] = files.filesBelow(posix.join(root, 'lib', 'puppet', 'transport', 'schema'));
      if (schema !== undefined) throw plainRefusal(501, `Transport schemas are not supported: ${schema}`);
    }
    return sendTaggedJson(context, { name, transports: [] });
  },
);

function modulesOf({ environment }: ServedEnvironment) {
  return environment.listModules().flatMap(({ name }) => {
    const module = environment.findModule(name);
    if (module === null) return [];
    const { metadata } = module;
    return [{ name: metadata?.name.replace('-', '/') ?? name, version: metadata?.version ?? null }];
  });
}
