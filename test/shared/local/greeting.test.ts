import { describe, expect, it } from 'vitest';
import { renderGreeting } from '../../../shared/local/greeting.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';

const OPTIONS = readLocalOptions(['--control-repo', 'r', '--data', 'd', '--autosign'], { workers: 1 });
const CERTNAME = 'web01.example.com';

describe('greeting', () => {
  it('says where it listens and how to run an agent', () => {
    expect(
      renderGreeting({
        options: OPTIONS,
        port: 8140,
        pcpPort: null,
        orchestratorPort: null,
        data: '/srv/data',
        certname: CERTNAME,
      }),
    ).toBe(
      `Understudy listens on https://localhost:8140 (data in /srv/data).

Run an agent on this machine, as any user:

  puppet agent --test \\
    --server localhost --serverport 8140 --certname web01.example.com --waitforcert 5 \\
    --confdir /srv/data/agents/web01.example.com/etc --vardir /srv/data/agents/web01.example.com/var --ssldir /srv/data/agents/web01.example.com/ssl \\
    --rundir /srv/data/agents/web01.example.com/run --logdir /srv/data/agents/web01.example.com/log --publicdir /srv/data/agents/web01.example.com/public

Certificate requests are signed automatically.`,
    );
  });

  it('says where the orchestrator is', () => {
    const facts = { options: OPTIONS, port: 8140, pcpPort: null, data: '/srv/data', certname: CERTNAME };
    expect(renderGreeting({ ...facts, orchestratorPort: 8143 })).toMatch(
      /\nRun Puppet and tasks on its nodes through https:\/\/localhost:8143\/orchestrator\/v1, with a token/,
    );
  });

  it('says how a PXP agent connects', () => {
    const text = renderGreeting({
      options: OPTIONS,
      port: 8140,
      pcpPort: 8142,
      orchestratorPort: null,
      data: '/srv/data',
      certname: CERTNAME,
    });
    const configuration = text.split('Its pxp-agent.conf:')[1] ?? '';
    const ssl = '/srv/data/agents/web01.example.com/ssl';
    expect(JSON.parse(configuration)).toEqual({
      'broker-ws-uris': ['wss://localhost:8142/pcp2/'],
      'pcp-version': '2',
      'primary-uris': ['https://localhost:8140'],
      'ssl-key': `${ssl}/private_keys/web01.example.com.pem`,
      'ssl-cert': `${ssl}/certs/web01.example.com.pem`,
      'ssl-ca-cert': `${ssl}/certs/ca.pem`,
    });
  });

  it('says how to sign, and quotes what a shell would split', () => {
    const options = { ...OPTIONS, host: 'puppet.example.com', autosign: false };
    const text = renderGreeting({
      options,
      port: 8141,
      pcpPort: null,
      orchestratorPort: null,
      data: "/my data's",
      certname: CERTNAME,
    });
    expect(text).toContain('--server puppet.example.com --serverport 8141');
    expect(text).toContain(`--confdir '/my data'\\''s/agents/web01.example.com'/etc`);
    expect(text).toContain(`  npx understudy ca sign web01.example.com --data '/my data'\\''s'`);
  });
});
