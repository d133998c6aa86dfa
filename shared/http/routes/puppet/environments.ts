import { posix } from 'node:path';
import { SERVED_CODE_DIRECTORY } from '../../../puppet/environment/snapshot.ts';
import { plainEnvironment } from '../../environment-parameter.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { sendJson, sendTaggedJson } from '../../exchange/content-encoding.ts';
import type { ServedEnvironment } from '../../files/served-environment.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

const SEARCH_PATHS = [`file://${SERVED_CODE_DIRECTORY}/environments`, 'data:text/plain,internal'];

/**
 * `GET environments`: the deployed environments and their settings:
 * lib/puppet/network/http/api/master/v3/environments.rb.
 */
export const getEnvironments = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/environments',
  async (context, services) => {
    const described: Record<string, unknown> = {};
    for (const { name } of await services.environments.list()) {
      const opened = await services.files.open(name);
      if (opened !== null) described[name] = { settings: settingsOf(opened.files) };
    }
    return sendJson(context, { search_paths: SEARCH_PATHS, environments: described });
  },
);

/** The settings in environment.conf; folders of globs are there, and those that do not exist. */
function settingsOf({ environment }: ServedEnvironment) {
  const { fullModulepath, manifest, configuration } = environment;
  const timeout = configuration.environmentTimeout;
  return {
    modulepath: fullModulepath,
    manifest,
    // Deployed code is immutable: without a setting, agents may cache it for ever.
    environment_timeout: timeout === null || timeout === Number.POSITIVE_INFINITY ? 'unlimited' : timeout,
    config_version: configuration.configVersion ?? '',
  };
}

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
