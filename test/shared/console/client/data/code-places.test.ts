import { expect, it } from 'vitest';
import { codePath, findCodePlace, wholePathOf } from '../../../../../shared/console/client/data/code-places.ts';

const FOLDER = '/etc/puppetlabs/code';

it.each([
  ['site/profile/manifests/app.pp', 'dev', { environment: 'dev', path: 'site/profile/manifests/app.pp' }],
  [
    `${FOLDER}/environments/production/manifests/site.pp`,
    'dev',
    { environment: 'production', path: 'manifests/site.pp' },
  ],
  [wholePathOf('environments/dev/data/a.yaml'), null, { environment: 'dev', path: 'data/a.yaml' }],
  [wholePathOf('modules/shared/lib/a.rb'), 'dev', { environment: 'dev', path: `${FOLDER}/modules/shared/lib/a.rb` }],
  [wholePathOf('modules/shared/lib/a.rb'), null, null],
  ['/opt/puppetlabs/puppet/lib/a.rb', 'dev', null],
  ['manifests/site.pp', null, null],
])('a file %j of %j is at %j', (file, environment, place) => {
  expect(findCodePlace(file, environment)).toEqual(place);
});

it.each([
  [{ codeId: null, line: null }, '/code/file/dev?path=a+b.pp'],
  [{ codeId: 'c0de', line: 7 }, '/code/file/dev?path=a+b.pp&code=c0de&line=7'],
  [{ codeId: null, line: 7, middle: 90 }, '/code/file/dev?path=a+b.pp&line=7&middle=90'],
])('has an address with %j', (more, path) => {
  expect(codePath({ environment: 'dev', path: 'a b.pp', ...more })).toBe(path);
});
