/**
 * The Object types of Puppet's own model: types as objects (`Pcore::IntegerType`), the syntax tree
 * (`Puppet::AST::...`) and resource types. Each line has the form `Name < Parent: attributes`. An
 * attribute is `name Type`, `name? Type` (optional), `name* Type` (a list), or `name => {...}` in
 * Puppet's own notation. Follows register_ptype of lib/puppet/pops/types,
 * lib/puppet/pops/model/ast.pp, lib/puppet/pops/resource.
 */
const PCORE = `
AnyType < Any
UndefType < AnyType
UnitType < AnyType
DefaultType < AnyType
ScalarType < AnyType
ScalarDataType < ScalarType
NumericType < ScalarDataType: from? Numeric; to? Numeric
IntegerType < NumericType
FloatType < NumericType
BooleanType < ScalarDataType
StringType < ScalarDataType: size_type_or_value? Variant[String, Type[Integer]]
EnumType < ScalarDataType: values Array[NonEmptyString]; case_insensitive => {type => Boolean, value => false}
PatternType < ScalarDataType: patterns Array[Regexp]
RegexpType < ScalarType: pattern => {type => Variant[Undef, String, Regexp], value => undef}
SemVerType < ScalarType: ranges => {type => Array[Variant[SemVerRange, NonEmptyString]], value => []}
SemVerRangeType < AnyType
TimespanType < ScalarType: from? Timespan; to? Timespan
TimestampType < ScalarType: from? Timestamp; to? Timestamp
BinaryType < AnyType
CollectionType < AnyType: size_type? Type[Integer]
ArrayType < CollectionType: element_type => {type => Optional[Type], value => Any}
HashType < CollectionType: key_type => {type => Optional[Type], value => Any}; value_type => {type => Optional[Type], value => Any}
StructElement: key_type Type; value_type Type
StructType < AnyType: elements Array[StructElement]
TupleType < AnyType: types Array[Type]; size_type? Type[Integer]
CallableType < AnyType: param_types? Type[Tuple]; block_type? Type[Callable]; return_type => {type => Optional[Type], value => Any}
IterableType < AnyType: type? Type
IteratorType < AnyType: type? Type
VariantType < AnyType: types Array[Type]
OptionalType < AnyType: type? Type
NotUndefType < AnyType: type? Type
TypeType < AnyType: type? Type
SensitiveType < AnyType
CatalogEntryType < AnyType
ClassType < CatalogEntryType: class_name? NonEmptyString
ResourceType < CatalogEntryType: type_name? NonEmptyString; title? NonEmptyString
RuntimeType < AnyType: runtime? NonEmptyString; name_or_pattern? Variant[NonEmptyString, Tuple[Regexp, NonEmptyString]]
InitType < AnyType: type? Type; init_args => {type => Array, value => []}
TypeReferenceType < AnyType: type_string NonEmptyString
TypeAliasType < AnyType: name NonEmptyString; type_expr Any; resolved_type? Type
ObjectType < AnyType: _pcore_init_hash ObjectShape
ObjectTypeExtenType < AnyType: base_type Type; init_parameters Array
TypeSetType < AnyType: _pcore_init_hash TypeSetShape
URIType < AnyType: parameters? UriParameter
`;

const AST = `
Locator: string String; file String; line_index? Array[Integer]
PopsObject
Positioned < PopsObject: locator => {type => Locator, kind => reference}; offset Integer; length Integer; file => {type => String, kind => derived}; line => {type => Integer, kind => derived}; pos => {type => Integer, kind => derived}; equality []
Expression < Positioned
Nop < Expression
BinaryExpression < Expression: left_expr Expression; right_expr Expression
UnaryExpression < Expression: expr Expression
ParenthesizedExpression < UnaryExpression
NotExpression < UnaryExpression
UnaryMinusExpression < UnaryExpression
UnfoldExpression < UnaryExpression
AssignmentExpression < BinaryExpression: operator Enum['+=', '-=', '=']
ArithmeticExpression < BinaryExpression: operator Enum['%', '*', '+', '-', '/', '<<', '>>']
RelationshipExpression < BinaryExpression: operator Enum['->', '<-', '<~', '~>']
AccessExpression < Expression: left_expr Expression; keys* Expression
ComparisonExpression < BinaryExpression: operator Enum['!=', '<', '<=', '==', '>', '>=']
MatchExpression < BinaryExpression: operator Enum['!~', '=~']
InExpression < BinaryExpression
BooleanExpression < BinaryExpression
AndExpression < BooleanExpression
OrExpression < BooleanExpression
LiteralList < Expression: values* Expression
KeyedEntry < Positioned: key Expression; value Expression
LiteralHash < Expression: entries* KeyedEntry
BlockExpression < Expression: statements* Expression
ApplyBlockExpression < BlockExpression
CaseOption < Expression: values Array[Expression, 1, default]; then_expr? Expression
CaseExpression < Expression: test Expression; options* CaseOption
QueryExpression < Expression: expr? Expression
ExportedQuery < QueryExpression
VirtualQuery < QueryExpression
AbstractAttributeOperation < Positioned
AttributeOperation < AbstractAttributeOperation: attribute_name String; operator Enum['+>', '=>']; value_expr Expression
AttributesOperation < AbstractAttributeOperation: expr Expression
CollectExpression < Expression: type_expr Expression; query QueryExpression; operations* AbstractAttributeOperation
Parameter < Positioned: name String; value? Expression; type_expr? Expression; captures_rest? Boolean
Definition < Expression
NamedDefinition < Definition: name String; parameters* Parameter; body? Expression
FunctionDefinition < NamedDefinition: return_type? Expression
ResourceTypeDefinition < NamedDefinition
QRefDefinition < Definition: name String
TypeAlias < QRefDefinition: type_expr? Expression
TypeMapping < Definition: type_expr? Expression; mapping_expr? Expression
TypeDefinition < QRefDefinition: parent? String; body? Expression
NodeDefinition < Definition: parent? Expression; host_matches Array[Expression, 1, default]; body? Expression
HeredocExpression < Expression: syntax? String; text_expr Expression
HostClassDefinition < NamedDefinition: parent_class? String
PlanDefinition < FunctionDefinition
LambdaExpression < Expression: parameters* Parameter; body? Expression; return_type? Expression
ApplyExpression < Expression: arguments* Expression; body? Expression
IfExpression < Expression: test Expression; then_expr? Expression; else_expr? Expression
UnlessExpression < IfExpression
CallExpression < Expression: rval_required => {type => Boolean, value => false}; functor_expr Expression; arguments* Expression; lambda? Expression
CallFunctionExpression < CallExpression
CallNamedFunctionExpression < CallExpression
CallMethodExpression < CallExpression
Literal < Expression
LiteralValue < Literal
LiteralRegularExpression < LiteralValue: value Any; pattern String
LiteralString < LiteralValue: value String
LiteralNumber < LiteralValue
LiteralInteger < LiteralNumber: radix => {type => Integer, value => 10}; value Integer
LiteralFloat < LiteralNumber: value Float
LiteralUndef < Literal
LiteralDefault < Literal
LiteralBoolean < LiteralValue: value Boolean
TextExpression < UnaryExpression
ConcatenatedString < Expression: segments* Expression
QualifiedName < LiteralValue: value String
ReservedWord < LiteralValue: word String; future? Boolean
QualifiedReference < LiteralValue: cased_value String; value => {type => String, kind => derived}
VariableExpression < UnaryExpression
EppExpression < Expression: parameters_specified? Boolean; body? Expression
RenderStringExpression < LiteralString
RenderExpression < UnaryExpression
ResourceBody < Positioned: title? Expression; operations* AbstractAttributeOperation
AbstractResource < Expression: form => {type => Enum['exported', 'regular', 'virtual'], value => 'regular'}; virtual => {type => Boolean, kind => derived}; exported => {type => Boolean, kind => derived}
ResourceExpression < AbstractResource: type_name Expression; bodies* ResourceBody
ResourceDefaultsExpression < AbstractResource: type_ref? Expression; operations* AbstractAttributeOperation
ResourceOverrideExpression < AbstractResource: resources Expression; operations* AbstractAttributeOperation
SelectorEntry < Positioned: matching_expr Expression; value_expr Expression
SelectorExpression < Expression: left_expr Expression; selectors* SelectorEntry
NamedAccessExpression < BinaryExpression
Program < PopsObject: body? Expression; definitions => {type => Array[Definition], kind => reference, value => []}; source_text => {type => String, kind => derived}; source_ref => {type => String, kind => derived}; line_offsets => {type => Array[Integer], kind => derived}; locator Locator
`;

const RESOURCE = `
Param: type Type; name String[1]; name_var => {type => Boolean, value => false}; equality ['name']
ResourceType3: name String[1]; properties* Param; parameters* Param; title_patterns_hash? Hash[Regexp, Array[String[1]]]; isomorphic => {type => Boolean, value => true}; capability => {type => Boolean, value => false}; equality ['name']
`;

const ANNOTATIONS = `
RubyMethod < Annotation: body String; parameters? String[1]
`;

/** The name of a model type and the Puppet text of its defining hash. */
interface ModelObject {
  readonly name: string;
  /** The namespace in which names in the text are looked up. */
  readonly namespace: string;
  readonly definition: string;
  /** Whether its objects print without their attributes. */
  readonly isOpaque: boolean;
}

/** Model types by name in lower case. */
export const MODEL_OBJECTS: ReadonlyMap<string, ModelObject> = new Map(
  [
    ...read('Pcore::', PCORE),
    ...read('Puppet::AST::', AST),
    ...read('Puppet::Resource::', RESOURCE),
    ...read('', ANNOTATIONS),
  ].map((object) => [object.name.toLowerCase(), object]),
);

const NO_NAMES: ReadonlySet<string> = new Set();
const META_TYPE_NAMES = metaTypeNamesByKind();

/**
 * The meta types of which a type of this kind is an instance: `Pcore::IntegerType`,
 * `Pcore::NumericType`, ...
 */
export function metaTypeNames(kind: string): ReadonlySet<string> {
  return META_TYPE_NAMES.get(kind === 'ObjectExtension' ? 'ObjectTypeExten' : kind) ?? NO_NAMES;
}

function metaTypeNamesByKind(): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, ReadonlySet<string>>();
  // Each line follows that of its parent.
  for (const [, kind = '', parent = ''] of PCORE.matchAll(/^(\w+)Type < (?:(\w+)Type|Any)/gm)) {
    names.set(kind, new Set([`Pcore::${kind}Type`, ...(names.get(parent) ?? [])]));
  }
  return names;
}

function read(namespace: string, table: string): ModelObject[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, name = '', parent, attributes = ''] = /^(\w+)(?: < (\w+))?(?:: (.*))?$/.exec(line) ?? [];
      const isOpaque = table === PCORE || table === ANNOTATIONS || name === 'Locator';
      return { name: namespace + name, namespace, definition: definitionText(parent, attributes), isOpaque };
    });
}

function definitionText(parent: string | undefined, attributes: string): string {
  const entries = attributes === '' ? [] : attributes.split('; ');
  const members = entries.filter((entry) => !entry.startsWith('equality ')).map(attributeText);
  const equality = entries.filter((entry) => entry.startsWith('equality ')).map((entry) => entry.replace(' ', ' => '));
  const parts = parent === undefined ? [] : [`parent => ${parent}`];
  if (members.length > 0) parts.push(`attributes => {${members.join(', ')}}`);
  return `{${[...parts, ...equality].join(', ')}}`;
}

function attributeText(entry: string): string {
  const [, name = '', mark = '', type = ''] = /^(\w+)([?*]?) (.*)$/.exec(entry) ?? [];
  if (type.startsWith('=> ')) return `'${name}' ${type}`;
  if (mark === '?') return `'${name}' => {type => Optional[${type}], value => undef}`;
  if (mark === '*') return `'${name}' => {type => Array[${type}], value => []}`;
  return `'${name}' => ${type}`;
}
