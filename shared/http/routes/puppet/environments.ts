import { posix } from 'node:path';
import { standardPlace } from '../../../puppet/environment/directory-environment.ts';
import { parseEnvironmentConf } from '../../../puppet/environment/environment-conf.ts';
import { SERVED_CODE_DIRECTORY } from '../../../puppet/environment/snapshot.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
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

/** The settings in environment.conf, including folders that do not exist. */
function settingsOf({ environment }: ServedEnvironment) {
  const place = standardPlace(SERVED_CODE_DIRECTORY, environment.name);
  const file = posix.join(place.root, 'environment.conf');
  const { modulepath, manifest, settings } = parseEnvironmentConf(environment.readText(file), file, place);
  const timeout = settings.environmentTimeout;
  return {
    modulepath,
    manifest,
    // Deployed code is immutable: without a setting, agents may cache it for ever.
    environment_timeout: timeout === null || timeout === Number.POSITIVE_INFINITY ? 'unlimited' : timeout,
    config_version: settings.configVersion ?? '',
  };
}
