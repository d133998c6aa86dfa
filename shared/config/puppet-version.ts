/**
 * The release of Puppet whose language and protocol we implement: `X-Puppet-Version`, and the
 * version of the services.
 */
export const PUPPET_VERSION = '8.10.0';
