import type { ApiSchema } from '../../../api/described-answers.ts';
import { callApi } from '../data/api-client.ts';
import { usePermission } from '../data/session.ts';
import { type AnswerState, useAnswer } from '../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CursorPager } from '../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useParameters } from '../routing/location.ts';

type CertificatePage = ApiSchema<'CertificatePage'>;
type CertificateRow = CertificatePage['certificates'][number];

const STATUS = '/puppet-ca/v1/certificate_status';
const CERTIFICATES = '/understudy/v1/certificates';
const PAGE_SIZE = 50;

/** Requests that wait for a signature, and the certificates. */
export function CertificatesPage() {
  const waiting = useAnswer(`${CERTIFICATES}?state=requested&limit=200`, {
    events: ['certificate-requests'],
    every: 15_000,
  });
  const isSettled = useSettled([waiting]);
  return (
    <>
      <PageHead title="Certificates" lead="Sign only requests whose fingerprint you have seen on the node" />
      <div class="grid">
        <WaitingPanel answer={waiting} />
        <AfterAnswer isSettled={isSettled}>
          <IssuedPanel />
        </AfterAnswer>
      </div>
    </>
  );
}

function WaitingPanel({ answer }: { readonly answer: AnswerState<CertificatePage> }) {
  const columns: readonly TableColumn<CertificateRow>[] = [
    ...COLUMNS,
    { id: 'actions', title: 'Actions', show: (row) => <RequestActions row={row} onDone={answer.reload} /> },
  ];
  return (
    <Panel
      title="Waiting requests"
      actions={answer.data !== null && <span class="muted">{printCount(answer.data)}</span>}
    >
      <AnswerView answer={answer} what="the requests" lines={6}>
        {({ certificates, isElsewhere }) =>
          certificates.length === 0 ? (
            <EmptyState title={isElsewhere ? 'Another server signs the certificates.' : 'No request waits.'}>
              {isElsewhere ? (
                'Requests are passed on to it.'
              ) : (
                <>
                  A new agent sends one at its first run: <code>puppet agent --test --waitforcert 60</code>
                </>
              )}
            </EmptyState>
          ) : (
            <DataTable label="Certificate requests" columns={columns} rows={certificates} keyOf={({ name }) => name} />
          )
        }
      </AnswerView>
    </Panel>
  );
}

function printCount({ certificates, next }: CertificatePage): string {
  return next === null ? String(certificates.length) : `${certificates.length} +`;
}

function IssuedPanel() {
  const [query] = useParameters();
  const wanted = new URLSearchParams({ state: 'issued', limit: String(PAGE_SIZE) });
  for (const name of ['prefix', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  const answer = useAnswer(`${CERTIFICATES}?${wanted}`, { events: ['certificate-requests'] });
  const columns: readonly TableColumn<CertificateRow>[] = [
    ...ISSUED_COLUMNS,
    { id: 'actions', title: 'Actions', show: (row) => <IssuedActions row={row} onDone={answer.reload} /> },
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
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => name },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    isWide: true,
    show: (row) => <Fingerprint text={row.fingerprint} />,
  },
  { id: 'alt', title: 'Other names', show: ({ subject_alt_names = [] }) => subject_alt_names.join(', ') },
  {
    id: 'extensions',
    title: 'Extensions',
    show: ({ authorization_extensions = {} }) =>
      Object.entries(authorization_extensions)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', '),
  },
];

/** A fingerprint in a fixed width that breaks between its bytes. */
function Fingerprint({ text }: { readonly text: string }) {
  const parts = text.split(':');
  return (
    <code class="fingerprint">
      {parts.map((part, index) => (
        <span key={index}>
          {part}
          {index < parts.length - 1 && ':'}
          <wbr />
        </span>
      ))}
    </code>
  );
}

function RequestActions({ row, onDone }: { readonly row: CertificateRow; readonly onDone: () => void }) {
  const maySign = usePermission('cert_requests', 'accept_reject');
  if (!maySign) return null;
  const path = encodeURIComponent(row.name);
  return (
    <div class="actions">
      <ConfirmButton
        label="Sign"
        spoken={`Sign ${row.name}`}
        question={`Sign the request of ${row.name}?`}
        done={`${row.name} has its certificate.`}
        tone="primary"
        perform={async () => {
          await callApi(`${STATUS}/${path}`, { method: 'PUT', body: { desired_state: 'signed' } });
          onDone();
        }}
        isSmall
      >
        <p>The node gets a certificate, and with it its catalogs. Compare the fingerprint with that on the node:</p>
        <Fingerprint text={row.fingerprint} />
      </ConfirmButton>
      <ConfirmButton
        label="Refuse"
        spoken={`Refuse ${row.name}`}
        question={`Refuse the request of ${row.name}?`}
        done={`The request of ${row.name} is deleted.`}
        tone="danger"
        perform={async () => {
          await callApi(`/puppet-ca/v1/certificate_request/${path}`, { method: 'DELETE' });
          onDone();
        }}
        isSmall
      >
        The request is deleted. The node may send another one.
      </ConfirmButton>
    </div>
  );
}

const ISSUED_COLUMNS: readonly TableColumn<CertificateRow>[] = [
  {
    id: 'name',
    title: 'Certname',
    isWide: true,
    show: ({ name }) => <NodeLink certname={name} />,
  },
  { id: 'state', title: 'State', show: ({ state }) => <StateBadge state={state} /> },
  { id: 'until', title: 'Valid until', show: ({ not_after }) => <RelativeTime at={not_after?.replace('UTC', 'Z')} /> },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    isWide: true,
    show: (row) => <Fingerprint text={row.fingerprint} />,
  },
];

interface IssuedProps {
  readonly row: CertificateRow;
  readonly onDone: () => void;
}

function IssuedActions({ row, onDone }: IssuedProps) {
  if (!usePermission('cert_requests', 'accept_reject')) return null;
  return (
    <div class="actions">
      {row.state === 'signed' && <Revoke row={row} onDone={onDone} />}
      <Clean row={row} onDone={onDone} />
    </div>
  );
}

function Clean({ row, onDone }: IssuedProps) {
  return (
    <ConfirmButton
      label="Clean"
      spoken={`Clean ${row.name}`}
      question={`Clean the certificate of ${row.name}?`}
      done={`The certificate of ${row.name} is revoked and deleted.`}
      tone="danger"
      perform={async () => {
        await callApi('/puppet-ca/v1/clean', { method: 'PUT', body: { certnames: [row.name] } });
        onDone();
      }}
      isSmall
    >
      It is revoked and deleted, so that the node can ask for a new one: delete the node's own files with{' '}
      <code>puppet ssl clean</code>, then run its agent.
    </ConfirmButton>
  );
}

function Revoke({ row, onDone }: IssuedProps) {
  return (
    <ConfirmButton
      label="Revoke"
      spoken={`Revoke ${row.name}`}
      question={`Revoke the certificate of ${row.name}?`}
      done={`The certificate of ${row.name} is revoked.`}
      tone="danger"
      perform={async () => {
        const body = { desired_state: 'revoked' };
        await callApi(`${STATUS}/${encodeURIComponent(row.name)}`, { method: 'PUT', body });
        onDone();
      }}
      isSmall
    >
      The node gets nothing from this server any more. This cannot be undone. Clean the certificate when the node is to
      get a new one.
    </ConfirmButton>
  );
}
