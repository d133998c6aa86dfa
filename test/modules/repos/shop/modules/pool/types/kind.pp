type Pool::Kind = Enum['round-robin', 'least', 'hash']
