import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';

const PAGE_SIZE = 50;

/** The nodes whose compiles looked a key of Hiera up, and the files that have it. */
export function KeyReadersPage({ environment }: { readonly environment: string }) {
  const [query] = useParameters();
  const key = query.get('key') ?? '';
  return (
    <>
      <PageHead
        title={key === '' ? 'Hiera key' : key}
        lead={`The nodes of ${environment} that look this Hiera key up; its values are shown nowhere here`}
      />
      <div class="filters">
        <SearchBox label="Key" name="key" placeholder="profile::app::password" isMonospaced />
      </div>
      {key === '' ? (
        <EmptyState title="No key is chosen.">Write one, or find it with the search.</EmptyState>
      ) : (
        <Readers environment={environment} hieraKey={key} />
      )}
    </>
  );
}

function Readers({ environment, hieraKey }: { readonly environment: string; readonly hieraKey: string }) {
  const [query] = useParameters();
  const wanted = new URLSearchParams({ key: hieraKey, limit: String(PAGE_SIZE) });
  const cursor = query.get('cursor') ?? '';
  if (cursor !== '') wanted.set('cursor', cursor);
  const answer = useAnswer(`/understudy/v1/environments/${encodeURIComponent(environment)}/keys/readers?${wanted}`);
  return (
    <AnswerView answer={answer} what="the readers" lines={10}>
      {({ files, nodes, next }) => (
        <div class="grid">
          <Panel title="Files that have it">
            {files.length === 0 ? (
              <EmptyState title="No data file has this key." />
            ) : (
              <ul class="readers">
                {files.map((file) => (
                  <li key={file}>
                    <code>{file}</code>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
          <Panel title="Nodes that look it up">
            {nodes.length === 0 ? (
              <EmptyState title="No catalog was made with this key." />
            ) : (
              <ul class="name-list">
                {nodes.map((certname) => (
                  <li key={certname}>
                    <Link to={`${pathOf('nodes', certname, 'inputs')}?find=${encodeURIComponent(hieraKey)}`}>
                      {certname}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
            <p class="muted panel-foot">The inputs of a node say which line of the code reads it.</p>
            <CursorPager
              isFirst={cursor === ''}
              next={next === null ? null : { cursor: next }}
              words={['First', 'Next']}
              isInPanel={true}
            />
          </Panel>
        </div>
      )}
    </AnswerView>
  );
}
