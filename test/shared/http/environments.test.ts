import { expect, it } from 'vitest';
import { createPeer, deployFiles, httpServices } from '../../helpers/http-services.ts';

const ROOT = '/etc/puppetlabs/code/environments/production';

it('shows the folders of a modulepath that globs find, and those that do not exist', async () => {
  const http = await httpServices();
  await deployFiles(http, 'production', {
    'environments/production/environment.conf':
      'modulepath = site/*:modules:$confdir/modules:$basemodulepath\nmanifest = $environment.pp\nconfig_version = v $environment',
    'environments/production/site/b/m/manifests/init.pp': '',
    'environments/production/site/a/m/manifests/init.pp': '',
    'environments/production/site/.git/m/x.pp': '',
  });
  const response = await http.app.request('/puppet/v3/environments', {}, { peer: createPeer('web01.example.com') });
  expect(await response.json()).toMatchObject({
    environments: {
      production: {
        settings: {
          modulepath: [
            `${ROOT}/site/a`,
            `${ROOT}/site/b`,
            `${ROOT}/modules`,
            '/etc/puppetlabs/puppet/modules',
            '/etc/puppetlabs/code/modules',
          ],
          manifest: '/$environment.pp',
          environment_timeout: 'unlimited',
          config_version: `${ROOT}/v production`,
        },
      },
    },
  });
});
