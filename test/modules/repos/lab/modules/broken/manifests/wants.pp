class broken::wants(Integer $count, Optional[Hash[String, Integer]] $more = { 'a' => 'b' }) { notify { "${count}": } }
