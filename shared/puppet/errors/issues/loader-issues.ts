import { defineIssues, fault } from './issue.ts';

/** Texts that Puppet raises about environment.conf and fileserver.conf. */

export const ENVIRONMENT_ISSUES = defineIssues({
  UNMATCHED_SETTING_LINE: fault('Could not match line %{line}'),
  INVALID_TIME_TO_LIVE: fault("Invalid 'time to live' format '\"%{value}\"' for parameter: environment_timeout"),
  SETTING_VALUE_NOT_FOUND: fault("Error converting value for param '%{name}': Could not find value for %{expression}"),
  ENVIRONMENT_NOT_INTERPOLATED: fault(
    "You cannot interpolate $environment within '%{name}' when using directory environments. Its value will remain %{value}.",
  ),
  UNPARSABLE_FILE_OPTIONS: fault("Could not parse '%{value}'"),
  INVALID_FILE_OPTION: fault("Invalid file option '%{name}'"),
  INVALID_FILE_MODE: fault('File modes must be numbers'),
  MOUNT_ALREADY_MOUNTED: fault('mount[%{name}] is already mounted at %{name}'),
  INVALID_MOUNT_ENTRY: fault("Invalid entry: '%{line}'"),
  INVALID_MOUNT_ARGUMENT: fault("Invalid argument '%{name}'"),
  MOUNT_WITHOUT_PATH: fault("Mounts without paths are not usable: '%{name}'"),
  FILESERVER_SEPARATOR_MISSING: fault("Fileserver configuration file does not use '=' as a separator"),
});

/** Texts that Puppet raises about files that must define one function, type or resource type. */

export const LOADER_ISSUES = defineIssues({
  ENTITY_REDEFINED: fault("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/%{entity}'. %{origin}"),
  FUNCTION_FILE_EMPTY: fault("%{from} does not define the function '%{name}' - it is empty."),
  FUNCTION_FILE_WITH_MORE: fault("%{from} must contain only the function '%{name}' - it has additional definitions."),
  FUNCTION_FILE_WITHOUT_FUNCTION: fault("%{from} does not define the function '%{name}' - no function found."),
  FUNCTION_WITH_WRONG_NAME: fault('%{from} produced function with the wrong name, expected %{name}, actual %{actual}'),
  FUNCTION_FILE_WITH_LOGIC: fault('%{from} contains additional logic - can only contain the function %{name}'),
  OBJECT_INITIALIZER_NO_STRUCT: fault(
    'object initializer has wrong type, expects a Struct value, got Puppet::AST::%{kind}',
  ),
  TYPE_CODE_WITHOUT_TYPE: fault("The code loaded from %{path} does not define the resource type '%{name}'"),
  TYPE_CODE_WITH_WRONG_NAME: fault(
    "The code loaded from %{path} produced resource type with the wrong name, expected '%{name}', actual '%{actual}'",
  ),
  RESOURCE_TYPE_FILE_EMPTY: fault("%{from} does not create the resource type '%{name}' - it is empty"),
  RESOURCE_TYPE_NOT_CREATED: fault("%{from} does not create the resource type '%{name}' - %{reason}"),
  RESOURCE_TYPE_FILE_WITH_LOGIC: fault(
    "%{from} must contain only the creation of resource type '%{name}' - it has additional logic.",
  ),
  TITLE_PATTERNS_MISSING: fault('you must specify title patterns when there are two or more key attributes'),
  TYPE_NOT_AUTOLOADED: fault('Could not autoload puppet/type/%{name}: %{detail}'),
  DATA_TYPE_LOAD_ERROR: fault("Data Type Load Error for type '%{name}': %{detail}"),
  TYPE_FILE_EMPTY: fault("%{from} does not define the type '%{name}' - it is empty."),
  TYPE_FILE_WITH_MORE: fault("%{from} must contain only the type '%{name}' - it has additional definitions."),
  TYPE_FILE_WITHOUT_TYPE: fault("%{from} does not define the type '%{name}' - no type alias or type definition found."),
  TYPE_WITH_WRONG_NAME: fault("%{from} produced type with the wrong name, expected '%{name}', actual '%{actual}'"),
  TYPE_FILE_WITH_LOGIC: fault("%{from} contains additional logic - can only contain the type '%{name}'"),
});
