import type { CodeDeploy } from '../../shared/fleet/code/code-deploys.ts';
import type { CodeService } from '../../shared/http/services.ts';
import type { EnvironmentStore } from '../../shared/store/ports/environment-store.ts';

const CODE_ID = 'c0'.repeat(32);

/** A deploy of production that was made, and one of another environment. */
const DEPLOYS = ['production', 'staging'].map((environment, index): CodeDeploy => {
  const common = { id: index + 1, environment, status: 'failed', at: 0, by: 'pipeline', error: 'oh' } as const;
  return { ...common, codeId: null, isStaged: false, holder: null };
});

/** A code service with these deploys, which takes all code. */
export function scriptedCode(environments: EnvironmentStore): CodeService {
  const made: CodeDeploy = {
    id: 3,
    environment: 'production',
    status: 'complete',
    at: 0,
    by: 'pipeline',
    codeId: CODE_ID,
    error: null,
    isStaged: false,
    holder: null,
  };
  return {
    source: {
      takesUploads: true,
      listEnvironments: async () => ['production', 'staging'],
      prepare: () => Promise.reject(new Error('nothing is prepared')),
    },
    upload: async (environment, _, by) => ({ environment, codeId: CODE_ID, files: 1, at: 0, by }),
    deploy: async (environment) => ({ ...made, environment }),
    check: async () => {},
    list: async () => DEPLOYS,
    get: async (id) => DEPLOYS.find((deploy) => deploy.id === id) ?? null,
    inForce: () => environments.list(),
  };
}
