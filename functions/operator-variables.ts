import { ENVIRONMENT_VARIABLES } from '../shared/config/deployment.ts';
import { type OperatorVariables, selectListedVariables } from '../shared/puppet/environment/operator-variables.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';
import type { AwsNames } from '../shared/store/aws/stores.ts';

/** Finds the variables that Hiera may read: keys of eyaml, which are secrets. */
export function openOperatorVariables(variables: AwsNames): () => Promise<OperatorVariables> {
  const { eyamlVariables } = ENVIRONMENT_VARIABLES;
  const listed = variables[eyamlVariables] ?? '';
  const secrets = new SecretVariables(variables, listed.split(','));
  return async () => selectListedVariables({ [eyamlVariables]: listed, ...(await secrets.read()) }, eyamlVariables);
}
