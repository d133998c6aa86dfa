type Profile::Path = Pattern[/\A\/([^\n\/\0]+\/*)*\z/]
