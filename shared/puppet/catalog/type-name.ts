const UPPER_A = 65;
const UPPER_Z = 90;

/**
 * Capitalizes each segment of a type name: `foo::bar` becomes `Foo::Bar`, with the rest of each
 * segment in lower case. A name that starts with an upper case letter is returned unchanged.
 */
export function capitalizeTypeName(name: string): string {
  const first = name.charCodeAt(0);
  if (first >= UPPER_A && first <= UPPER_Z) return name;
  return name.includes('::') ? name.split('::').map(capitalize).join('::') : capitalize(name);
}

function capitalize(segment: string): string {
  return segment.charAt(0).toUpperCase() + segment.slice(1).toLowerCase();
}

/** The key of a definition: its name in lower case without a leading `::`. */
export function definitionName(name: string): string {
  return (name.startsWith('::') ? name.slice(2) : name).toLowerCase();
}

const COMPONENT = 'component';

/** The type's name as catalogs show it. `component` is an old name of classes. */
export function referenceTypeName(name: string): string {
  const plain = name.startsWith('::') ? name.slice(2) : name;
  return plain === '' || (plain.length === COMPONENT.length && plain.toLowerCase() === COMPONENT)
    ? 'Class'
    : capitalizeTypeName(plain);
}

/** The title of a class in the catalog. '' is the main class. */
export function classTitle(name: string): string {
  return name === '' ? 'main' : capitalizeTypeName(name);
}
