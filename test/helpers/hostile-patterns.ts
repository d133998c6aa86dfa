/** Patterns that take exponential or high polynomial time on a matcher without memory. */

/** A pattern, and what its attack text repeats; the end of the text makes the match fail. */
export type HostilePattern = readonly [pattern: string, repeated: string];

/** Repetitions of repetitions and of ambiguous alternatives; `X` stands for what they repeat. */
const FAMILIES = [
  '(X+)+',
  '(X*)*',
  '(X+)*',
  '(X|X)*',
  '(X|X?)+',
  '(X|XX)+',
  '(XX|X)*',
  '(X|XX|XXX)+',
  '(?:X+)+',
  '(?:X|X)*',
  '(X?)*X',
  '(X*?)*',
  '(X+?)+?',
  '((X+)+)+',
  '((X*)+)*',
  '(X{1,3})+',
  '(X{2,5})*',
  '(X{1,}){2,}',
  '(X+){1,8}',
  '(X{0,6}){0,6}',
  '(X+X+)+',
  '(X*X*)*',
  '(X+|Y)*',
  '(X|Y|X)*',
  '(XY?)*X*',
  '(X(X|Y))*(X|Y)*',
  'X*X*X*X*X*',
  'X+X+X+X+X+',
  '(X*)(X*)(X*)(X*)',
  'X*?X*?X*?',
  '(?=(X+)+Z)',
  '(?!(?:X+)+Z).',
  '(?=X*X*Z)',
  '(?:(?=X+Z)X)*',
  '(?>(X+)+Z)',
  '(?:(?>X+)Y?)*',
  '(?:X++Y?)*',
  '(X+)+(?<=Y)',
  '(?<=X)(X+)*',
  '(X|Y+)*(?<!,)',
  '(?<n>X+)+',
  '(?i:(X+)+)',
  '(?i:(X|X)*)',
  '(?m:(.*X)*)',
  '(.*)*',
  '(.*X)+',
  '(.+)+X?',
  '(.*?X)+',
] as const;

/** What is repeated, with a text for it and a text for `Y`. */
const REPEATED: readonly (readonly [what: string, text: string])[] = [
  ['a', 'a'],
  ['[a-z]', 'a'],
  ['\\w', 'w'],
  ['[^,]', 'c'],
  ['.', 'x'],
  ['\\s', ' '],
  ['(a|b)', 'ab'],
  ['[[:alnum:]]', 'k'],
  ['\\p{L}', 'é'],
  ['ab', 'ab'],
];

/** What has to follow, and does not in the attack text. */
const ENDINGS: readonly string[] = ['!', '\\z!', '[!?]$', '(?=!)', '!!|\\?'];

export function createHostilePatterns(): readonly HostilePattern[] {
  return REPEATED.flatMap(([what, text]) =>
    FAMILIES.flatMap((family) =>
      ENDINGS.map((ending): HostilePattern => {
        const pattern = family.replaceAll('X', what).replaceAll('Y', '[ay]').replaceAll('Z', '[!]');
        return [`(?:${pattern})(?:${ending})`, text];
      }),
    ),
  );
}

/** Patterns of the kinds that advisories named in validators of real programs. */
export const VALIDATORS: readonly HostilePattern[] = [
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a',
  ],
  ['^([a-z0-9_.-]+)+@([\\da-z.-]+)\\.([a-z.]{2,6})$', 'a.'],
  ['^(?:[a-z0-9]+[-_.]?)+@', 'mail'],
  ['\\A([\\w+\\-].?)+@[a-z\\d\\-]+(\\.[a-z]+)*\\.[a-z]+\\z', 'user'],
  ['^(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$', 'a.bc/'],
  ['^(?:(?:https?|ftp)://)(?:\\S+(?::\\S*)?@)?(?:[a-z0-9]-*)*[a-z0-9]+$', 'a-'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
  ['^v?(\\d+)\\.(\\d+)\\.(\\d+)(?:-((?:\\w+\\.?)+))?(?:\\+((?:\\w+\\.?)+))?$', '1.'],
  ['^v?(?:\\d+\\.?)+(?:-?[a-z]+\\d*)*$', '1a'],
  ['^\\s*(\\S+\\s*)*;$', 'a '],
  ['^(?:.*\\s)*(\\w+\\s*=\\s*)+$', 'a = '],
  ['^((\\w+)\\s*,?\\s*)+$', 'ab '],
  ['^(\\d+,?)+$', '12'],
  ['^"(?:[^"\\\\]|\\\\.|[^"])*"$', 'ab'],
  ['^<(?:[^>]|"[^"]*"|\'[^\']*\')*>$', 'a"b"'],
  ['^(?:[+-]?\\d+\\.?\\d*\\s*)+$', '1.5'],
  ['(?:/\\*(?:[^*]|\\*)*\\*/|\\s)+$', '/*'],
  ['^(?:(?:\\d|[1-9]\\d|1\\d\\d)\\.?)+$', '12'],
  ['^(?:/[^/]*/?)+\\.rb$', '/a'],
  ['^([^\\s]+\\s?)+#$', 'word '],
  ['\\s*#?\\s*$', ' '],
  ['(?:\\s*,\\s*)*\\S+\\s*$', ' , '],
  ['^(?:[A-Fa-f0-9]{0,4}:?)+$', 'ab'],
  ['(\\w+\\s?)*\\?', 'word '],
];
