# An absolute path without trailing slash.
type Profile::Path = Pattern[/\A(\/[^\/\0]+)+\z/]
