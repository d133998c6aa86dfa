import { useMemo } from 'preact/hooks';
import { followNode } from '../../data/answer-options.ts';
import { type CatalogJson, listEdges, readContainment, refOf, type ShownResource } from '../../data/catalog-view.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { EdgeGraph } from '../../parts/edge-graph.tsx';
import { FactList, Panel } from '../../parts/panel.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { ShownValue } from '../../parts/shown-value.tsx';
import { Tree, type TreeItem } from '../../parts/tree.tsx';
import { type SetParameters, useParameters } from '../../routing/location.ts';

/** Maximum number of found resources shown. */
const MOST_FOUND = 200;

/** The catalog as a tree to search, with the chosen resource and its edges beside it. */
export function CatalogTab({ certname }: { readonly certname: string }) {
  const answer = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(certname)}/catalog`, followNode(certname));
  return (
    <>
      <div class="filters">
        <SearchBox label="Find a resource or a parameter" name="find" placeholder="File[/etc/ntp.conf]" />
      </div>
      <AnswerView answer={answer} what="the catalog" lines={14}>
        {(catalog) => <CatalogPanels catalog={catalog} />}
      </AnswerView>
    </>
  );
}

function CatalogPanels({ catalog }: { readonly catalog: CatalogJson }) {
  const [query, setParameters] = useParameters();
  const chosen = query.get('resource');
  const resource = catalog.resources.find((one) => refOf(one) === chosen) ?? null;
  const items = useItems(catalog, (query.get('find') ?? '').toLowerCase(), chosen, setParameters);
  return (
    <div class="grid">
      <Panel title="Resources" span={5} actions={<span class="muted">{catalog.resources.length}</span>}>
        <div class="tree-scroll">
          {items.length === 0 ? <EmptyState title="No resource matches." /> : <Tree items={items} isOpen />}
        </div>
      </Panel>
      <Panel title={resource === null ? 'Resource' : refOf(resource)} span={7}>
        {resource === null ? (
          <EmptyState title="Choose a resource.">Its parameters and its edges show here.</EmptyState>
        ) : (
          <ResourceDetails catalog={catalog} resource={resource} setParameters={setParameters} />
        )}
      </Panel>
    </div>
  );
}

function useItems(
  catalog: CatalogJson,
  wanted: string,
  chosen: string | null,
  setParameters: SetParameters,
): readonly TreeItem[] {
  const containment = useMemo(() => readContainment(catalog), [catalog]);
  const label = (resource: ShownResource) => (
    <ResourceButton reference={refOf(resource)} isChosen={refOf(resource) === chosen} setParameters={setParameters} />
  );
  if (wanted !== '') {
    const isFound = (resource: ShownResource) =>
      refOf(resource).toLowerCase().includes(wanted) ||
      JSON.stringify(resource.parameters ?? {})
        .toLowerCase()
        .includes(wanted);
    const found = catalog.resources.filter(isFound).slice(0, MOST_FOUND);
    return found.map((resource) => ({ key: refOf(resource), label: label(resource), children: null }));
  }
  const toItem = (resource: ShownResource): TreeItem => {
    const ref = refOf(resource);
    const below = containment.childrenOf(ref);
    return {
      key: ref,
      label: label(resource),
      isControl: true,
      children: below.length === 0 ? null : () => below.map(toItem),
    };
  };
  return containment.roots.map(toItem);
}

interface ResourceButtonProps {
  readonly reference: string;
  readonly isChosen: boolean;
  readonly setParameters: SetParameters;
}

function ResourceButton({ reference, isChosen, setParameters }: ResourceButtonProps) {
  return (
    <button
      type="button"
      class="ref-button"
      aria-pressed={isChosen}
      onClick={() => setParameters({ resource: reference })}
    >
      {reference}
    </button>
  );
}

interface ResourceDetailsProps {
  readonly catalog: CatalogJson;
  readonly resource: ShownResource;
  readonly setParameters: SetParameters;
}

function ResourceDetails({ catalog, resource, setParameters }: ResourceDetailsProps) {
  const edges = useMemo(() => listEdges(catalog), [catalog]);
  const { file, line, tags = [], parameters = {} } = resource;
  const place = file === undefined || file === null ? 'not in a file' : `${file}:${line ?? '?'}`;
  return (
    <div class="form">
      <FactList
        entries={[
          [
            'Declared at',
            <PlaceLink
              key="place"
              file={file ?? ''}
              line={line ?? null}
              environment={catalog.environment ?? null}
              codeId={catalog.code_id ?? null}
            >
              <PathText text={place} />
            </PlaceLink>,
          ],
          ['Tags', tags.join(', ')],
          ...(resource.exported === true ? ([['Exported', 'yes']] as const) : []),
        ]}
      />
      <h3>Parameters</h3>
      {Object.keys(parameters).length === 0 ? (
        <p class="muted">It has none.</p>
      ) : (
        <FactList
          entries={Object.entries(parameters).map(([name, value]) => [name, <ShownValue key={name} value={value} />])}
        />
      )}
      <h3>Edges</h3>
      <EdgeGraph of={refOf(resource)} edges={edges} onChoose={(ref) => setParameters({ resource: ref })} />
    </div>
  );
}
