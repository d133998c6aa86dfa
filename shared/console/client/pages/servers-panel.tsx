import type { ApiSchema } from '../../../api/described-answers.ts';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { FactList, Panel } from '../parts/panel.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';

type ServersView = ApiSchema<'ServersView'>;

/** The servers that share a database, the database, and what is weak about them. */
export function ServersPanel({ own, servers, database, warnings }: ServersView) {
  const { address, version, replication, lagBytes, hasChecksums, clockOffsetMs, connections } = database;
  const lag = lagBytes === null ? '' : `, ${lagBytes.toLocaleString('en')} bytes behind`;
  return (
    <Panel title="Servers">
      {warnings.map((warning) => (
        <p key={warning} class="notice notice-wait">
          {`${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`}
        </p>
      ))}
      <div class="panel-part">
        <DataTable label="List of servers" columns={createColumns(own)} rows={servers} keyOf={({ name }) => name} />
        <FactList
          entries={[
            ['Database', <code key="address">{address}</code>],
            ['PostgreSQL', version],
            ['Replication', `${replication}${lag}`],
            ['Data checksums', hasChecksums ? 'yes' : 'no'],
            ['Clock of this server', `${clockOffsetMs.toLocaleString('en')} ms off`],
            [
              'Connections of this server',
              `${connections.open} open, ${connections.idle} of them idle, ${connections.waiting} waited for`,
            ],
          ]}
        />
      </div>
    </Panel>
  );
}

function createColumns(own: string): readonly TableColumn<ServersView['servers'][number]>[] {
  return [
    { id: 'name', title: 'Server', show: ({ name }) => (name === own ? `${name} (this one)` : name) },
    { id: 'release', title: 'Release', show: ({ release }) => release },
    { id: 'started', title: 'Started', show: ({ startedAt }) => <RelativeTime at={startedAt} /> },
    { id: 'seen', title: 'Seen', show: ({ seenAt }) => <RelativeTime at={seenAt} /> },
    { id: 'state', title: 'State', show: ({ isAlive }) => <StateBadge state={isAlive ? 'alive' : 'dead'} /> },
    { id: 'leads', title: 'Leads', isWide: true, show: ({ leads }) => leads.join(', ') },
  ];
}
