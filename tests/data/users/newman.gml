graph
[
  directed 0
  node
  [
    id 1
    label "Ann"
  ]
  node
  [
    id 2
    label "Bob"
  ]
  edge
  [
    source 1
    target 2
    value 3
  ]
  edge
  [
    source 2
    target 1
    value 4
  ]
]
