import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { printJson } from '../../serialization/json.ts';

const NAME = 'puppetdb_query';

/**
 * Asks the inventory. Only compiles with an inventory know the function. Puppet:
 * lib/puppet/functions/puppetdb_query.rb of PuppetDB's termini
 */
export const puppetdbQuery = defineFunction(NAME, {
  params: ['Variant[String[1], Array[Data, 1]] query'],
  body: ({ context: { inventory } }, [query = null]) => {
    if (inventory === null) throw new PuppetError(ISSUES.FUNCTION_UNKNOWN({ name: NAME }));
    return inventory.ask(typeof query === 'string' ? query : printJson(query));
  },
});
