import { useEffect, useId, useState } from 'preact/hooks';
import type { PqlEntities } from '../../data/query/pql-completion.ts';
import { writeQueryCommand } from '../../data/query/query-command.ts';
import type { QueryFault } from '../../data/query/query-fault.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { EmptyState } from '../../parts/answer-view.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { QueryEditor } from '../../parts/query-editor.tsx';
import { useParameters } from '../../routing/location.ts';
import { QueryResult } from './query-result.tsx';
import { SAVED_QUERIES, SavedQueriesPanel, SaveQueryButton } from './saved-queries.tsx';

const NO_ENTITIES: PqlEntities = [];

/** Queries of the inventory: an editor, saved ones, and the rows as table, chart and CSV. */
export function QueryPage() {
  const [query] = useParameters();
  const mayQuery = usePermission('nodes', 'view_data');
  const asked = query.get('query') ?? '';
  if (!mayQuery) {
    return (
      <>
        <PageHead title="Query" />
        <EmptyState title="You may not query the inventory." />
      </>
    );
  }
  return (
    <>
      <PageHead title="Query" lead="Ask the inventory in PQL: nodes, facts, resources, reports, events, packages" />
      <QueryPanels asked={asked} />
    </>
  );
}

/** The panels for the query of the address. */
function QueryPanels({ asked }: { readonly asked: string }) {
  const [text, setText] = useState(asked);
  // A saved query, or Back, brings another text into the editor.
  useEffect(() => setText(asked), [asked]);
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState<QueryFault | null>(null);
  const [, setParameters] = useParameters();
  const faultId = useId();
  const { data } = useAnswer('/understudy/v1/queries/schema');
  const saved = useAnswer(SAVED_QUERIES);
  const pql = text.trim();
  const isRefused = fault !== null && pql === asked;
  const run = () => {
    if (pql === '') return;
    if (pql === asked) setRound(round + 1);
    else setParameters({ query: pql, sort: null });
  };
  return (
    <div class="grid">
      <Panel title="Editor" span={8}>
        <QueryEditor
          value={text}
          onChange={setText}
          onRun={run}
          entities={data?.entities ?? NO_ENTITIES}
          isInvalid={isRefused}
          faultId={isRefused ? faultId : null}
        />
        <div class="query-actions">
          <button type="button" class="button button-primary" aria-disabled={pql === ''} onClick={run}>
            Run
          </button>
          <SaveQueryButton pql={pql} saved={saved} />
        </div>
        {isRefused && <FaultNotice id={faultId} fault={fault} />}
        {pql !== '' && (
          <p class="query-command">
            <span class="muted">On the command line:</span> <code>{writeQueryCommand(pql)}</code>
            <CopyButton text={writeQueryCommand(pql)} what="the command" />
          </p>
        )}
      </Panel>
      <SavedQueriesPanel saved={saved} />
      {asked !== '' && <QueryResult key={`${round} ${asked}`} pql={asked} onFault={setFault} />}
    </div>
  );
}

/** Says why a query is refused, and shows the place. */
function FaultNotice({ id, fault: { sentence, line } }: { readonly id: string; readonly fault: QueryFault }) {
  return (
    <div class="notice notice-bad query-fault" role="alert" id={id}>
      <div>
        <p>
          <strong>The query is refused.</strong> {sentence}
        </p>
        {line !== null && (
          <pre>
            <span class="query-fault-line" aria-hidden="true">
              {line.number}
            </span>
            {line.text.slice(0, line.column)}
            <mark>{line.text.slice(line.column, line.column + 1) || ' '}</mark>
            {line.text.slice(line.column + 1)}
          </pre>
        )}
      </div>
    </div>
  );
}
