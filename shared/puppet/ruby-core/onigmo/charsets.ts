/**
 * Named character sets: `\w`, `[[:alpha:]]`, `\p{Greek}`. Follows Onigmo's regparse.c and its
 * Unicode tables.
 */
import { type Charset, PatternError, UnsupportedPattern } from './pattern.ts';

function unicodeSet(expression: string): Charset {
  const pattern = new RegExp(`^${expression}$`, 'u');
  return (code) => pattern.test(String.fromCodePoint(code));
}

const membersOfSets = new WeakMap<Charset, Uint8Array>();

/** For each ASCII character 1 when it is a member of the set, else 0. */
export function asciiMembers(set: Charset): Uint8Array {
  const known = membersOfSets.get(set);
  if (known) return known;
  const members = Uint8Array.from({ length: 0x80 }, (_, code) => (set(code) ? 1 : 0));
  membersOfSets.set(set, members);
  return members;
}

function asciiOnly(set: Charset): Charset {
  return (code) => code < 0x80 && set(code);
}

/** POSIX brackets by Unicode. Under the option `a` they are restricted to ASCII. */
const BRACKETS: Readonly<Record<string, Charset>> = {
  alnum: unicodeSet('[\\p{Alphabetic}\\p{Nd}]'),
  alpha: unicodeSet('\\p{Alphabetic}'),
  ascii: (code) => code < 0x80,
  blank: unicodeSet('[\\p{Zs}\\t]'),
  cntrl: unicodeSet('\\p{Cc}'),
  digit: unicodeSet('\\p{Nd}'),
  graph: unicodeSet('[^\\p{White_Space}\\p{Cc}\\p{Cs}\\p{Cn}]'),
  lower: unicodeSet('\\p{Lowercase}'),
  print: unicodeSet('(?:[^\\p{White_Space}\\p{Cc}\\p{Cs}\\p{Cn}]|\\p{Zs})'),
  punct: unicodeSet('[\\p{P}$+<=>^`|~]'),
  space: unicodeSet('\\p{White_Space}'),
  upper: unicodeSet('\\p{Uppercase}'),
  word: unicodeSet('[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]'),
  xdigit: (code) => code < 0x80 && /[0-9a-fA-F]/.test(String.fromCharCode(code)),
};

/** The set `[:name:]`; undefined when the name is unknown. */
export function bracketSet(name: string, isAscii: boolean): Charset | undefined {
  const set = BRACKETS[name];
  return set && isAscii ? asciiOnly(set) : set;
}

/** Whether `text` starts with a known bracket name. */
export function startsWithBracketName(text: string): boolean {
  return Object.keys(BRACKETS).some((name) => text.startsWith(name));
}

const SHORTHANDS: Readonly<Record<string, string>> = { w: 'word', d: 'digit', s: 'space', h: 'xdigit' };

const ASCII_SHORTHANDS: ReadonlyMap<string, Charset> = new Map(
  Object.entries(SHORTHANDS).flatMap(([letter, name]) => {
    const set = BRACKETS[name];
    return set ? [[letter, asciiOnly(set)] as const] : [];
  }),
);

/** The sets `\w`, `\d`, `\s`, `\h` by their letters. */
export function shorthandSet(letter: string, isUnicode: boolean): Charset {
  const set = isUnicode ? BRACKETS[SHORTHANDS[letter] ?? ''] : ASCII_SHORTHANDS.get(letter);
  if (!set) throw new PatternError(`undefined shorthand \\${letter}`);
  return set;
}

export function isWordCharacter(code: number, isAscii: boolean): boolean {
  return (!isAscii || code < 0x80) && (BRACKETS.word?.(code) ?? false);
}

/**
 * Scripts and properties in JavaScript's spelling. Ruby ignores case, blanks, `-` and `_` in names.
 */
const SPELLINGS = [
  'Alphabetic ASCII_Hex_Digit Bidi_Control Bidi_Mirrored Case_Ignorable Cased Changes_When_Casefolded Changes_When_Casemapped',
  'Changes_When_Lowercased Changes_When_NFKC_Casefolded Changes_When_Titlecased Changes_When_Uppercased Dash',
  'Default_Ignorable_Code_Point Deprecated Diacritic Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base',
  'Emoji_Presentation Extended_Pictographic Extender Grapheme_Base Grapheme_Extend Hex_Digit ID_Continue ID_Start Ideographic',
  'IDS_Binary_Operator IDS_Trinary_Operator Join_Control Logical_Order_Exception Lowercase Math Noncharacter_Code_Point',
  'Pattern_Syntax Pattern_White_Space Quotation_Mark Radical Regional_Indicator Sentence_Terminal Soft_Dotted',
  'Terminal_Punctuation Unified_Ideograph Uppercase Variation_Selector White_Space XID_Continue XID_Start Any Assigned',
  'C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs',
  'Other Control Format Unassigned Private_Use Surrogate BrokerMail Cased_Letter Lowercase_Letter Modifier_Letter Other_Letter',
  'Titlecase_Letter Uppercase_Letter Mark Combining_Mark Spacing_Mark Enclosing_Mark Nonspacing_Mark Number Decimal_Number',
  'Letter_Number Other_Number Punctuation Connector_Punctuation Dash_Punctuation Close_Punctuation Final_Punctuation',
  'Initial_Punctuation Other_Punctuation Open_Punctuation Symbol Currency_Symbol Modifier_Symbol Math_Symbol Other_Symbol',
  'Separator Line_Separator Paragraph_Separator Space_Separator',
].join(' ');

const SCRIPTS = [
  'Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi',
  'Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform',
  'Cypriot Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian',
  'Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana',
  'Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi',
  'Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar',
  'Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive',
  'Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari New_Tai_Lue Newa Nko Nushu',
  'Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian',
  'Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi',
  'Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese',
  'Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta',
  'Ugaritic Vai Wancho Warang_Citi Yezidi Yi Zanabazar_Square',
].join(' ');

function plainName(name: string): string {
  return name.toLowerCase().replace(/[ _-]/g, '');
}

const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ...SCRIPTS.split(' ').map((name) => [plainName(name), `\\p{Script=${name}}`] as const),
  ...SPELLINGS.split(' ').map((name) => [plainName(name), `\\p{${name}}`] as const),
]);

/**
 * The set `\p{name}`. Throws PatternError for an unknown name, and UnsupportedPattern for
 * properties that only Ruby's tables have.
 */
export function propertySet(name: string): Charset {
  const plain = plainName(name);
  const bracket = bracketSet(plain.replace(/^xposixpunct$/, 'punct'), false);
  if (bracket) return bracket;
  const known = PROPERTIES.get(plain);
  if (known !== undefined) return unicodeSet(known);
  if (/^(?:in[a-z]|age=\d|graphemeclusterbreak=)/.test(plain)) {
    throw new UnsupportedPattern(`character property {${name}} is`);
  }
  throw new PatternError(`invalid character property name {${name}}`);
}
