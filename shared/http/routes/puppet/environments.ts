import { SERVED_CODE_DIRECTORY } from '../../../puppet/environment/snapshot.ts';
import type { Endpoint } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { ServedEnvironment } from '../../files/served-environment.ts';
import type { AgentServices } from '../../services.ts';

const SEARCH_PATHS = [`file://${SERVED_CODE_DIRECTORY}/environments`, 'data:text/plain,internal'];

/**
 * `GET environments`: the deployed environments and their settings:
 * lib/puppet/network/http/api/master/v3/environments.rb.
 */
export const getEnvironments: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: '/puppet/v3/environments',
  async handle(context, services) {
    const described: Record<string, unknown> = {};
    for (const { name } of await services.environments.list()) {
      const opened = await services.files.open(name);
      if (opened !== null) described[name] = { settings: settingsOf(opened.files) };
    }
    return sendJson(context, { search_paths: SEARCH_PATHS, environments: described });
  },
};

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
