import type { ComponentChildren, Ref } from 'preact';

interface ScrollAreaProps {
  readonly class: string;
  readonly label: string;
  readonly areaRef?: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}

/** An area that scrolls by itself, also by keys alone. */
export function ScrollArea({ class: name, label, areaRef, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach an area that scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has controls, a section is a landmark
    <div ref={areaRef ?? null} class={name} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
