import { afterAll, describe, expect, it } from 'vitest';
import { PuppetHash } from '../../../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../../../shared/puppet/types/values/values.ts';
import { RecordedAnswers } from '../../../../../helpers/recorded-answers.ts';
import { rubySources } from '../../../../../helpers/reference-sources.ts';
import { BothResults, product, VALUES } from '../both-results.ts';

const both = new BothResults(
  new RecordedAnswers({ name: 'ruby-methods', test: import.meta.filename, sources: rubySources }),
);
afterAll(() => both.close());

const FEW = VALUES.filter((_, index) => index % 7 === 0);
const ARGUMENTS: readonly Value[] = [null, '', ',', 'a', 0n, 1n, -1n, 2n];

const PLAIN = `nil? to_s to_i to_f to_a to_h to_sym inspect class length size empty? first last min max sort sort_by uniq compact flatten
  reverse keys values upcase downcase capitalize strip lstrip rstrip chomp chop lines chars split join sum count any? all? none? abs
  floor ceil round succ pred even? odd? zero? positive? negative? nan? entries invert to_str intern transpose rotate freeze
  dup clone swapcase ord hex bytesize ascii_only? to_json one? minmax tally product union intersection difference respond_to?`;
const WITH_ARGUMENT = `== === <=> < > <= >= + - * % & | =~ include? member? key? has_key? value? key start_with? end_with? index
  join split first last take drop fetch dig at count delete_prefix delete_suffix chomp ljust rjust center round to_s sum flatten rotate
  zip merge divmod modulo between? eql? casecmp? match? match values_at is_a? scan each_slice
  delete squeeze partition rpartition rindex casecmp slice except respond_to? tr each_cons product union intersection difference
  intersect?`;
const WITH_BLOCK = `map collect flat_map select filter reject find detect find_index any? all? none? count sum uniq sort_by min_by
  max_by partition group_by each each_pair each_key each_value each_with_index each_index reverse_each to_h transform_values inject
  reduce filter_map sort transform_keys each_char each_line each_slice each_cons take_while drop_while one? minmax tally product`;
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

/**
 * No result of any tuple of values may be another than Ruby's; all of them may be left to Ruby, but
 * not those of `atLeast`.
 */
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
    'a.to_yaml',
    'a.to_yaml({})',
    '{ a => b, "k" => [c] }.to_yaml',
    'a.product(b, c)',
    'a.each_slice(2).map { |x| x.size }',
    'a.each_cons(2).to_a',
    '(z = []; r = a.each_slice(2).with_index { |x, i| z << [i, x] }; [r, z])',
    '(Integer(a) rescue b)',
    '(Float(a) rescue b)',
    'begin; Integer(a); rescue TypeError; 1; rescue ArgumentError => e; e.class; end',
    'begin; raise KeyError, "k" if a; b; rescue IndexError => e; e.message; end',
    '(l = [ArgumentError, TypeError]; begin; Float(a); rescue *l; c; end)',
    '(a.downcase rescue b)',
    '(x = (raise a if a; b) rescue c; x)',
    '(z = nil; z ||= Integer(a) rescue 4; z)',
    '[a, b].map do |v|\n  Integer(v)\nrescue ArgumentError, TypeError\n  v\nend',
    'a.each_with_index.map { |x, i| [i, x] }',
    'a.each_with_index.select { |x, i| i == b }',
    'a.each_with_index.to_a',
    'a.map.with_index(1) { |x, i| [i, x] }',
    'a.each.with_index { |x, i| x }',
    'a.select.with_index { |x, i| i.even? }',
    'a.each_with_index.each_with_object([]) { |(x, i), m| m << i }',
    'Hash[a]',
    'Hash[a, b]',
    'Hash[a, b, c, a]',
    'Array.new.push(a)',
    'JSON.generate(a)',
    'JSON.parse(a)',
    'JSON.parse(JSON.generate([a, b]))',
    'File.basename(a)',
    'File.basename(a, b)',
    'File.dirname(a)',
    'File.extname(a)',
    'File.join(a, b)',
    'File.join("x/", a)',
    'a.all?(String)',
    'a.any?(Hash)',
    'a.none?(Integer)',
    '(h = a.dup; h.store(b, c); h)',
    'a.to_i(16)',
    'File.basename("x//" + a + "//")',
    'File.dirname("x//" + a + "//")',
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
    'Base64.encode64(a)',
    'Base64.urlsafe_encode64(a)',
    'Base64.decode64(a)',
    'Base64.decode64(Base64.encode64(a))',
    'Shellwords.shellescape(a)',
    'Shellwords.shelljoin([a, b])',
    'URI::DEFAULT_PARSER.escape(a)',
    'Puppet::Util.absolute_path?(a, :posix)',
    'a.crypt("$6$" + b)',
    '[a, b].map { |x| [x, c] }.reduce(:|)',
    'a.reduce(:|)',
    '[a, b, "x"].grep(/[a-z]/)',
    'Regexp.compile(a).match(b).nil?',
    '->(x) { [x, b] }.call(a)',
    '(f = ->(x) { return b if x; c }; [f.call(a), f.call(nil)])',
    '[a, b].map { |x| ->(y) { [x, y] }.call(c) }',
    '(l = [a, b]; [l.map! { |x| [x] }, l])',
    "(l = ['b', 'c', 'a']; [l.sort!, l])",
    "(l = ['b', 'c', 'a']; [l.sort! { |x, y| y <=> x }, l])",
    '(1..9).step(2).to_a + (1..9).step(3).map { |x| [x, a] }',
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
    "[['b', 1], ['a', 2], ['c', 1], ['d', 2]].sort_by { |x, y| y }",
    "[['b', 1], ['a', 2], ['c', 1], ['d', 2]].max_by { |x, y| y }",
    "[['b', 1], ['a', 2], ['c', 1], ['d', 2]].min_by { |x, y| y }",
    "{ 'b' => 1, 'a' => 1.0 }.sort_by { |_, y| y }",
    "[['b', 1], ['a', 'x']].sort_by { |x, y| y }",
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
    '(IPAddr.new(a).to_s rescue 1)',
    ...['%s', '%d', '%05d', '%x', '%-6s|', '%5.1f', '%p', '%e', '%%', '%c', '%+d', '%b'].map(
      (format) => `format('${format}', a)`,
    ),
  ])('%s', (code) => {
    compare(code, product(VALUES));
  });
});

it.each([
  '(a..b).each_slice(2).to_a',
  '(a...b).each_slice(2) { |x| }.to_a',
  '(a..b).each_with_index.map { |x, i| x * i }',
  '(a..b).first(2)',
])('%s', (code) => {
  const ends = [-2n, 0n, 1n, 5n];
  const given = compare(code, product(ends, ends));
  expect(given).toBe(ends.length ** 2);
});

describe('addresses are what they are to Ruby', () => {
  const addresses: readonly Value[] =
    `0.0.0.0 10.1.2.3 255.255.255.255 256.1.1.1 01.1.1.1 1.2.3 1.2.3.4.5 10.1.2.3/8 10.1.2.3/33 10.1.2.3/08
    10.1.2.3/255.255.0.0 10.1.2.3/255.0.255.0 10.1.2.3/ 10.1.2.3/x 10.1.2.3/::1 [10.1.2.3] :: ::1 1:: ::1/64 2001:db8::1 2001:DB8:0:0:1::2
    [2001:db8::1] [2001:db8::1]/32 [::1 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1::3:4:5:6:7:8
    1:2::3:4::5 ::ffff:10.1.2.3 ::10.1.2.3 1:2:3:4:5:6:10.1.2.3 1:2:3::4:5:10.1.2.3 1:2:3:4::5:6:10.1.2.3 ::300.1.2.3 ::ffff:0:0 1:0:0:2::
    1:0:0:2:0:0:0:3 fe80::1%eth0 ::/0 ::1/129 ::1/ffff:: ::1/ffff::ffff 12345:: g:: host.example.com`.split(/\s+/);

  it.each([
    'IPAddr.new(a).to_s',
    '(x = IPAddr.new(a); [x.inspect, [x].inspect])',
    '(x = IPAddr.new(a); [x.to_i, x.ipv4?, x.ipv6?, "#{x}", x.is_a?(IPAddr)])',
    'begin; IPAddr.new(a).to_i; rescue IPAddr::InvalidPrefixError; 1; rescue IPAddr::InvalidAddressError; 2; rescue ArgumentError; 3; end',
    '(IPAddr.new(a).include?(b) rescue 7)',
    '(IPAddr.new(a) === IPAddr.new(b) rescue 7)',
  ])('%s', (code) => {
    compare(code, product(addresses, [...addresses.slice(0, 3), '::/0', '10.0.0.0/8', ''], [0n, 24n, 64n, 129n]));
    const given = compare(code, product([...addresses, '', ' ::1', '::1\n'], ['::1'], [8n]));
    expect(given).toBeGreaterThan(addresses.length / 3);
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

describe('every ASCII punctuation character stands for itself', () => {
  const marks = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'];
  const subjects = [...marks.flatMap((mark) => [`a${mark}b${mark}${mark}c`, `${mark}x`]), marks.join(''), 'abc', ''];
  const texts = [...marks, 'b', 'a-b', '.-', '-.', '[-]', '(?-', '\\-'];
  /** Methods that stand for Ruby's here whatever the mark is. */
  const complete = words(`gsub sub split index include? start_with? end_with? delete_prefix
    delete_suffix chomp`);

  it.each(complete)('%s', (name) => {
    const code = /^g?sub$/.test(name) ? `[a.${name}(b, "_"), a.${name}(b) { |x| "<#{x}>" }]` : `a.${name}(b)`;
    const tuples = product(subjects, texts);
    expect(compare(code, tuples)).toBe(tuples.length);
  });

  it.each([
    'a.scan(b)',
    'a.delete(b)',
    'a.squeeze(b)',
    'a.count(b)',
    'a.tr(b, "_")',
    'a.tr("b", b)',
    'a.tr("a-c", b)',
    'a.split(b, 2)',
    'a.split(b, -1)',
    'a.match(b)&.begin(0)',
    'a.match?(b)',
    'a =~ Regexp.new(Regexp.escape(b))',
    'a.gsub(/[#{Regexp.escape(b)}]/, "_")',
    'a.gsub(Regexp.new(Regexp.escape(b)), "_")',
    'a[b]',
    'a.slice(b)',
    'a.sub("b", b)',
    'a.gsub("b", b)',
    '(x = a.dup; [x.gsub!(b, "_"), x])',
    'a.each_line(b).to_a',
    'a.ljust(9, b)',
    'a % [b]',
  ])('%s', (code) => {
    compare(code, product(subjects, texts));
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
