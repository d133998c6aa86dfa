const UPPER_A = 65;
const UPPER_Z = 90;

/**
 * `foo::bar` as `Foo::Bar`: the first letter of each segment in upper case, the rest in lower case.
 * A name that starts with an upper case letter is returned as it is.
 */
export function capitalizeTypeName(name: string): string {
  const first = name.charCodeAt(0);
  if (first >= UPPER_A && first <= UPPER_Z) return name;
  return name.includes('::') ? name.split('::').map(capitalize).join('::') : capitalize(name);
}

function capitalize(segment: string): string {
  return segment.charAt(0).toUpperCase() + segment.slice(1).toLowerCase();
}

/** A name without a leading `::`, in lower case: the form in which definitions are kept. */
export function definitionName(name: string): string {
  return (name.startsWith('::') ? name.slice(2) : name).toLowerCase();
}

const COMPONENT = 'component';

/** The type's name as catalogs show it. `component` is what classes were once called. */
export function referenceTypeName(name: string): string {
  const plain = name.startsWith('::') ? name.slice(2) : name;
  return plain === '' || (plain.length === COMPONENT.length && plain.toLowerCase() === COMPONENT)
    ? 'Class'
    : capitalizeTypeName(plain);
}

/** The title that a class has in the catalog; '' is the main class. */
export function classTitle(name: string): string {
  return name === '' ? 'main' : capitalizeTypeName(name);
}
