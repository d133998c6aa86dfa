/** `modules/ntp/ntp.conf` -> mount `modules`, path `ntp/ntp.conf`. */
export function splitKey(key: string): { readonly mount: string; readonly path: string } {
  const [mount = '', ...rest] = key.split('/');
  return { mount, path: rest.join('/') };
}

/** The request's parameters as Ruby prints the hash that Puppet passes on: `{:rest=>"a/b", :links=>"manage"}`. */
export function parametersAsRuby(key: string, query: URLSearchParams): string {
  const pairs = [...query].filter(([name]) => name !== 'environment');
  const printed = [['rest', key], ...pairs].map(([name, value]) => `:${name}=>${JSON.stringify(value)}`);
  return `{${printed.join(', ')}}`;
}
