import type { ResourceTypeInfo, TitlePattern } from '../../evaluator/ports.ts';
import type { RubyTypeDescription } from '../../evaluator/ruby-port.ts';

/** Converts Ruby's description to a resource type, without providers in separate files. */
export function toResourceType(name: string, description: RubyTypeDescription): Omit<ResourceTypeInfo, 'hasProviders'> {
  const { properties, parameters, namevars, isomorphic } = description;
  return {
    name,
    attributes: [
      ...properties.map((property) => ({ name: property, kind: 'property' }) as const),
      ...parameters.map((parameter) => ({ name: parameter, kind: 'parameter' }) as const),
    ],
    namevars,
    titlePatterns: titlePatterns(description),
    isomorphic,
    kind: 'compilable_type',
  };
}

const WHOLE_TITLE = '(?m-ix:(.*))';

function titlePatterns(description: RubyTypeDescription): readonly TitlePattern[] | null {
  const { titlePatterns: patterns, titleError, namevars } = description;
  if (titleError !== null) return null;
  const [first] = patterns;
  const isWhole = patterns.length === 1 && first?.pattern === WHOLE_TITLE && first.groups[0] === namevars[0];
  return isWhole ? null : patterns.map(({ pattern, groups }) => ({ pattern, groups }));
}
