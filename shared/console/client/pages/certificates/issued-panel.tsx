import { callApi } from '../../data/api-client.ts';
import { certificateCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import type { ConfirmedAction } from '../../parts/confirm-dialog.tsx';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useParameters } from '../../routing/location.ts';
import { ShortFingerprint } from './fingerprint.tsx';
import type { CertificateRow } from './waiting-panel.tsx';

const PAGE_SIZE = 50;

/** The certificates, page by page. */
export function IssuedPanel() {
  const [query] = useParameters();
  const wanted = new URLSearchParams({ state: 'issued', limit: String(PAGE_SIZE) });
  for (const name of ['prefix', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  const answer = useAnswer(`/understudy/v1/certificates?${wanted}`, { events: ['certificate-requests'] });
  const mayEnd = usePermission('cert_requests', 'accept_reject');
  const columns: readonly TableColumn<CertificateRow>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      title: 'Actions',
      show: (row) => <RowMenu of={row.name} actions={mayEnd ? listActions(row, answer.reload) : []} />,
    },
  ];
  return (
    <Panel title="Issued certificates">
      <div class="filters">
        <SearchBox label="Certname begins with" name="prefix" placeholder="web01" />
      </div>
      <AnswerView answer={answer} what="the certificates" lines={8}>
        {({ certificates, next }) =>
          certificates.length === 0 ? (
            <EmptyState title="There is no such certificate." />
          ) : (
            <>
              <DataTable
                label="List of certificates"
                columns={columns}
                rows={certificates}
                keyOf={({ name }) => name}
              />
              <CursorPager
                isFirst={!query.has('cursor')}
                next={next === null ? null : { cursor: next }}
                words={['First', 'Next']}
                isInPanel={true}
              />
            </>
          )
        }
      </AnswerView>
    </Panel>
  );
}

const COLUMNS: readonly TableColumn<CertificateRow>[] = [
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => <NodeLink certname={name} /> },
  { id: 'state', title: 'State', show: ({ state }) => <StateBadge state={state} /> },
  { id: 'until', title: 'Valid until', show: ({ not_after }) => <RelativeTime at={not_after?.replace('UTC', 'Z')} /> },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    show: ({ name, fingerprint }) => <ShortFingerprint text={fingerprint} of={name} />,
  },
];

function listActions({ name, state }: CertificateRow, onDone: () => void): readonly ConfirmedAction[] {
  const clean: ConfirmedAction = {
    label: 'Clean',
    question: `Clean the certificate of ${name}?`,
    done: `The certificate of ${name} is revoked and deleted.`,
    tone: 'danger',
    command: certificateCommand('clean', name),
    perform: async () => {
      await callApi('/puppet-ca/v1/clean', { method: 'PUT', body: { certnames: [name] } });
      onDone();
    },
    children: (
      <>
        It is revoked and deleted, so that the node can ask for a new one: delete the node's own files with{' '}
        <code>puppet ssl clean</code>, then run its agent. The node's catalog, facts and reports stay: purging the node
        deletes them.
      </>
    ),
  };
  return state === 'signed' ? [revocationOf(name, onDone), clean] : [clean];
}

function revocationOf(name: string, onDone: () => void): ConfirmedAction {
  return {
    label: 'Revoke',
    question: `Revoke the certificate of ${name}?`,
    done: `The certificate of ${name} is revoked.`,
    tone: 'danger',
    command: certificateCommand('revoke', name),
    perform: async () => {
      const body = { desired_state: 'revoked' };
      await callApi(`/puppet-ca/v1/certificate_status/${encodeURIComponent(name)}`, { method: 'PUT', body });
      onDone();
    },
    children:
      "The node gets nothing from this server any more. This cannot be undone. The node's catalog, facts and reports " +
      'stay. Clean the certificate when the node is to get a new one.',
  };
}
