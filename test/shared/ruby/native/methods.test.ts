import { afterAll, describe, expect, it } from 'vitest';
import { PuppetHash } from '../../../../shared/types/puppet-hash.ts';
import type { Value } from '../../../../shared/types/values.ts';
import { BothResults, product, VALUES } from './both-results.ts';

const both = new BothResults();
afterAll(() => both.close());

const FEW = VALUES.filter((_, index) => index % 7 === 0);
const ARGUMENTS: readonly Value[] = [null, '', ',', 'a', 0n, 1n, -1n, 2n];

const PLAIN = `nil? to_s to_i to_f to_a to_h to_sym inspect class length size empty? first last min max sort sort_by uniq compact flatten
  reverse keys values upcase downcase capitalize strip lstrip rstrip chomp chop lines chars split join sum count any? all? none? abs
  floor ceil round succ pred even? odd? zero? positive? negative? nan? entries invert to_str intern transpose rotate freeze
  dup clone swapcase ord hex bytesize ascii_only? to_json`;
const WITH_ARGUMENT = `== === <=> < > <= >= + - * % & | =~ include? member? key? has_key? value? key start_with? end_with? index
  join split first last take drop fetch dig at count delete_prefix delete_suffix chomp ljust rjust center round to_s sum flatten rotate
  zip merge divmod modulo between? eql? casecmp? match? match values_at is_a? scan each_slice
  delete squeeze partition rpartition rindex casecmp slice except respond_to? tr`;
const WITH_BLOCK = `map collect flat_map select filter reject find detect find_index any? all? none? count sum uniq sort_by min_by
  max_by partition group_by each each_pair each_key each_value each_with_index each_index reverse_each to_h transform_values inject
  reduce filter_map sort transform_keys each_char each_line`;
const CHANGING: readonly string[] = [
  'reverse!',
  'sort!',
  'flatten!',
  'clear',
  'delete_at(b)',
  'insert(b, c)',
  'merge!(b)',
  'update(b)',
];
const CHANGING_WITH_BLOCK = 'reject! delete_if select! keep_if map!';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const isWord = (name: string): boolean => /^[a-z]/.test(name);

/** No result of any tuple of values may be another than Ruby's; all of them may be left to Ruby, but not those of `atLeast`. */
function compare(code: string, tuples: readonly (readonly Value[])[]): number {
  const { given, differing } = both.compare({ code, tuples });
  expect(differing).toEqual([]);
  return given;
}

describe('what templates call is what Ruby gives, or left to Ruby', () => {
  it.each(words(PLAIN))('%s', (name) => {
    compare(`a.${name}`, product(VALUES));
    compare(`a.${name}(b)`, product(VALUES, ARGUMENTS));
  });

  it.each(words(WITH_ARGUMENT))('%s with arguments', (name) => {
    compare(isWord(name) ? `a.${name}(b)` : `a ${name} b`, product(VALUES, name === '*' ? ARGUMENTS : FEW));
    if (isWord(name)) compare(`a.${name}(b, c)`, product(VALUES, ARGUMENTS, ARGUMENTS));
  });

  it.each(words(WITH_BLOCK))('%s with a block', (name) => {
    compare(`a.${name} { |x| x }`, product(VALUES));
    compare(`a.${name} { |x, y| [y, x] }`, product(VALUES));
    compare(`a.${name}(b) { |x, y| y }`, product(VALUES, ARGUMENTS));
    compare(`a.${name}(&:to_s)`, product(VALUES));
    compare(`(z = []; r = a.${name} { |x, y| z << [x, y]; y }; [r, z])`, product(VALUES));
  });

  // What Ruby changes is changed here too: copies are.
  it.each(CHANGING)('%s', (name) => {
    compare(`(l = a.dup; [l.${name}, l])`, product(VALUES, ARGUMENTS, ARGUMENTS));
  });

  it.each(words(CHANGING_WITH_BLOCK))('%s with a block', (name) => {
    compare(`(l = a.dup; [l.${name} { |x| x }, l])`, product(VALUES));
    compare(`(l = a.dup; [l.${name} { |x, y| y || x == b }, l])`, product(VALUES, ARGUMENTS));
    compare(`(l = a.dup; z = l.${name} { |x| break x if x == b; x }; [l, z])`, product(VALUES, ARGUMENTS));
  });

  it.each([
    '"%.1f|%8.2e|%g|%+.0f|%05d" % [a, a, a, a, a]',
    'format("%.3f %s", a, b)',
    'a.tr(b, c)',
    'a.tr("a-z ", c)',
    'a.delete("a-zA")',
    'a.count("a-z,")',
    'a.dig(b, c)',
    'a.each_with_index.map { |x, i| [i, x] }',
    'a.each_with_index.select { |x, i| i == b }',
    'a.each_with_index.to_a',
    'a.map.with_index(1) { |x, i| [i, x] }',
    'a.each.with_index { |x, i| x }',
    'a.select.with_index { |x, i| i.even? }',
    'a.each_with_index.each_with_object([]) { |(x, i), m| m << i }',
    'Hash[a]',
    'JSON.generate(a)',
    'JSON.parse(a)',
    'JSON.parse(JSON.generate([a, b]))',
    'File.basename(a)',
    'File.basename(a, b)',
    'File.dirname(a)',
    'File.extname(a)',
    'File.join(a, b)',
    'File.join("x/", a)',
    'a.respond_to?(:each)',
    'a.respond_to?("empty?")',
    '"%{x}|%<x>s|%<y>05d" % { x: a, y: b }',
    '(x = a.dup; x << b; [x, a])',
    '(x = a.dup; x["k"] = b; [x, a])',
    '(l = []; h = a.dup; h.reject! { |x| l << x; x == b }; [h, l])',
    'Digest::MD5.hexdigest(a)',
    'Digest::SHA1.hexdigest(Digest::SHA1.digest(a))',
    'Digest::SHA256.base64digest(a)',
    'Base64.strict_encode64(a)',
    'ERB::Util.url_encode(a)',
    'CGI.escape(a)',
    '(i = 0; while i < 3 do i += 1; next if i == 2; break i if i == b end)',
    '(i = 0; until i > 5; i += 2; end; [i, b])',
    '[*a, *b]',
    '(x, y = *a; [x, y])',
    '[a].push(*b)',
    'a[b]',
    'a[b, c]',
    'a[b..c]',
    'a[b...c]',
    'a.fetch(b, c)',
    'a.gsub(b, c)',
    'a.sub(b, c)',
    'a.each_with_object([]) { |x, memo| memo << x }',
    'a.inject(b) { |x, y| y }',
    '"#{a}-#{b}"',
    '[a, b].flatten.compact',
    '[a, b, c].sort',
    '[a, b, c].join(",")',
    '[a, b, c].uniq',
    '{ a => b, c => 1 }',
    '[[a, 1], [b, 2]].sort_by { |x, y| x }',
    'a.nil? ? b : c',
    '(x = a; x += b; x)',
    '(h = { "k" => a }; h["k"] ||= b; h[c] = 1; [h, h.delete("k")])',
    '(l = [a]; l << b; l.push(c); l.compact!; l.unshift(b); [l, l.uniq!, l.delete(b), l])',
  ])('%s', (code) => {
    compare(code, product(VALUES, ARGUMENTS, ARGUMENTS));
  });

  it.each([
    ...words('Array String Integer Float').map((name) => `${name}(a)`),
    ...words(
      'String Integer Float Numeric Array Hash NilClass TrueClass Symbol Comparable Enumerable Object Range',
    ).flatMap((name) => [`a.is_a?(${name})`, `${name} === a`, `a.class == ${name}`]),
    '(case a when String then 1 when nil then 2 when Array, Hash then 3 when 1..10 then 4 when :sym then 5 else 6 end)',
    'a.map { |x| next 1 if x; 2 }',
    'a.each { |x| break x }',
    '(z = []; 3.times { |x| z << x }; a.to_i.clamp(0, 9).upto(5) { |x| z << x }; z)',
    'a && 1',
    'a || 1',
    '!a',
    '-a',
    'a&.to_s',
    'Regexp.escape(a)',
    'IPAddr.new(a).nil?',
    ...['%s', '%d', '%05d', '%x', '%-6s|', '%5.1f', '%p', '%e', '%%', '%c', '%+d', '%b'].map(
      (format) => `format('${format}', a)`,
    ),
  ])('%s', (code) => {
    compare(code, product(VALUES));
  });
});

describe('patterns match what Ruby matches, or are left to Ruby', () => {
  const subjects: readonly Value[] = [
    ...VALUES.filter((value) => typeof value === 'string'),
    'a.b-c_d 12',
    'http://h.example.com:80/p?q=1',
    '10.0.0.1/24',
    'aaa\naab\n',
    '\n',
    'key = value # c',
    'ÉTÉ été',
    null,
    1n,
  ];

  it.each([
    'a',
    '^a',
    'b$',
    '^$',
    '\\Aa',
    '\\n\\z',
    '\\n\\Z',
    '\\d+',
    '(\\d+)\\.(\\d+)',
    '[a-z]+',
    '[^a-z\\n]',
    '\\s*$',
    '\\s+',
    '\\S',
    '\\w',
    '\\W',
    '.',
    '.*',
    'a|b',
    '(a)|(b)',
    '(?:a|b)+',
    'a*',
    'x?',
    'a{2}',
    'a{1,2}',
    '\\.',
    '[.,]',
    ':+',
    '(?i)a',
    '\\bb',
    '[[:alpha:]]',
    'é',
    '^(.*)\\n',
    '(?=b)',
    '(?<n>\\d)',
    '\\/',
    '$',
    '',
    '(',
  ])('%s', (source) => {
    const tuples = subjects.map((subject) => [subject]);
    const pattern = `/${source.replaceAll('/', '\\/').replaceAll('\\\\/', '\\/')}/`;
    for (const options of ['', 'i', 'm']) {
      if (source === '(') break;
      const literal = `${pattern}${options}`;
      for (const code of [
        `(a =~ ${literal}; [a =~ ${literal}, $1])`,
        `(${literal} =~ a)`,
        `a !~ ${literal}`,
        `a.gsub(${literal}, '<\\\\0>')`,
        `a.sub(${literal}) { |x| "#{x}#{$1}" }`,
        `a.split(${literal})`,
        `a.scan(${literal})`,
        `(m = a.match(${literal}); m && [m[0], m[1], m.pre_match, m.post_match, m.captures])`,
        `a[${literal}]`,
        `a[${literal}, 1]`,
        `(case a when ${literal} then $1 || 1 else 2 end)`,
        `a.index(${literal})`,
      ]) {
        compare(code, tuples);
      }
    }
    compare('a.match?(b)', product(subjects, [source]));
    compare('a =~ Regexp.new(b)', product(subjects, [source]));
  });
});

it('does most of it here', () => {
  const { given } = both.compare({ code: 'a.to_s', tuples: product(VALUES) });
  expect(given).toBeGreaterThan(VALUES.length * 0.9);
  const hash = PuppetHash.of([['b', ['y', 'x']]]);
  expect(both.here("<% @a.sort.each do |k, v| -%>\n<%= k %>=<%= v.sort.join(',') %>\n<% end -%>", [hash])).toBe(
    'b=x,y\n',
  );
});
