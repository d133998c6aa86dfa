# The message of the day.
#
# @param path the file
# @param message its first line
# @param contacts whom to ask
class motd (
  String[1]           $path,
  String[1]           $message  = 'Welcome.',
  Array[String[1], 1] $contacts = ['root'],
) {
  file { $path:
    ensure  => file,
    mode    => '0644',
    content => epp('motd/motd.epp', {
      'message'  => $message,
      'contacts' => $contacts,
      'width'    => motd::width($message, $contacts),
    }),
  }
}
